package lang

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/schema"
)

// instances are what a declaration comes to at a place.
type instances struct {
	decl   *decl
	place  *place
	many   bool   // it has count or for_each
	by     string // which
	object bool   // they go by keys, not by numbers
	failed bool   // how many there are isn't known; it has been reported, or open
	open   bool   // how many there are is known where the define around it is used
	list   []*instance
	keys   map[string]*instance

	over  hclsyntax.Expression // of for_each
	alias hcl.Traversal        // over, if that names a declaration
	typed bool                 // over's type comes from a declaration
	elem  cty.Type             // of open ones: the type of each.value
	rec   recorder             // what over leans on

	value cty.Value         // of all while checking
	any   *instance         // see phantom
	same  map[sameKey]*same // what checking came to
	when  cty.Value         // of all, if it is the same for all
}

// instance is one of them.
type instance struct {
	set     *instances
	decl    *decl
	place   *place
	address string
	key     cty.Value // cty.NilVal without count and for_each
	value   cty.Value // each.value, as far as it is known early
	phantom bool
	checked *checked
	plan    cty.Value // see planned
	inWhen  bool      // its when is being evaluated
}

func (s *instances) address() string { return s.place.prefix + s.decl.address() }

func (s *instances) find(key cty.Value) *instance {
	key, _ = key.Unmark()
	if key.IsNull() || !key.IsKnown() || !key.Type().IsPrimitiveType() {
		return nil
	}
	return s.keys[keyText(s.keyType(key))]
}

// keyType writes a key as the set has it: "0" finds the first of a tuple.
func (s *instances) keyType(key cty.Value) cty.Value {
	want := cty.Number
	if s.object {
		want = cty.String
	}
	if key.Type() == cty.String && len(key.AsString()) > longestNumber {
		return key // which is none, and slow to be found so
	}
	if v, err := convert.Convert(key, want); err == nil {
		return v
	}
	return key
}

func (s *instances) add(key, value cty.Value) {
	i := &instance{set: s, decl: s.decl, place: s.place, address: s.address(), key: key, value: value}
	if key != cty.NilVal {
		i.address += "[" + keyText(key) + "]"
		s.keys[keyText(key)] = i
	}
	s.list = append(s.list, i)
}

// phantom is an instance that stands for one that doesn't exist, for checking
// what would be done with it.
func (x *expansion) phantom(s *instances) *instance {
	if s.any == nil {
		key := cty.UnknownVal(cty.Number)
		if s.object {
			key = cty.UnknownVal(cty.String)
		}
		s.any = &instance{set: s, decl: s.decl, place: s.place, address: s.address() + "[?]", key: key, value: cty.DynamicVal, phantom: true}
		if s.elem != cty.NilType {
			s.any.value = cty.UnknownVal(s.elem)
		}
	}
	return s.any
}

// instancesOf works out a declaration's instances, seen from a place.
func (x *expansion) instancesOf(d *decl, from *place) *instances {
	at := from.holding(d.scope)
	if s := at.sets[d]; s != nil {
		return s
	}
	s := &instances{decl: d, place: at, keys: map[string]*instance{}}
	attr, by := d.multiple()
	switch {
	case d.broken && attr == nil:
		s.failed = true
	case attr == nil:
		s.add(cty.NilVal, cty.NilVal)
	default:
		s.many, s.by = true, by
		if !x.enter(s.id(), d.address()+"."+by, attr.Expr.Range()) {
			s.failed = true
			return s
		}
		x.whoseNumber(s, func() {
			if by == "count" {
				x.count(s, attr.Expr)
			} else {
				x.forEach(s, attr.Expr)
			}
		})
		x.leave()
	}
	if d.broken { // which instances it has is not what is meant to be referred to
		s.failed, s.list = true, nil
	}
	x.crowd(s, attr)
	at.sets[d] = s
	for _, i := range s.list {
		x.byAddress[i.address] = i
	}
	return s
}

type setID struct {
	d  *decl
	at *place
}

func (s *instances) id() setID { return setID{s.decl, s.place} }

func (x *expansion) count(s *instances, e hclsyntax.Expression) {
	n, ok := x.wholeNumber(x.checker(s.decl.file, s.place, &s.rec), e, schema.Attr{Name: "count", Type: cty.Number, Required: true}, maxInstances, "instances")
	if !ok {
		s.failed, s.open = true, openIn(s.rec.refs)
		return
	}
	for i := range n {
		s.add(cty.NumberIntVal(int64(i)), cty.NilVal)
	}
}

// wholeNumber evaluates a number that must be known early.
func (x *expansion) wholeNumber(f frame, e hclsyntax.Expression, a schema.Attr, most int, of string) (int, bool) {
	v, ok := f.knownEarly(a.Name, e)
	if !ok {
		return 0, false
	}
	v, diags := f.argument(a, e, v)
	x.sink.add(diags...)
	if diags.HasErrors() {
		return 0, false
	}
	if v.IsNull() {
		x.sink.add(diag.New(diag.NullValue, e.Range(), `"`+a.Name+`" is null`, "A number is required."))
		return 0, false
	}
	if err := checkCount(v); err != nil {
		x.sink.add(diag.New(diag.BadCount, e.Range(), a.Name+" "+err.Error(), "It is "+numberText(v)+"."))
		return 0, false
	}
	if v.GreaterThan(cty.NumberIntVal(int64(most))).True() {
		x.sink.add(diag.New(diag.TooMany, e.Range(), "more than "+indexText(most)+" "+of, "It is "+numberText(v)+"."))
		return 0, false
	}
	n, _ := v.AsBigFloat().Int64()
	return int(n), true
}

// knownEarly evaluates an expression that shapes the plan.
func (f frame) knownEarly(name string, e hclsyntax.Expression) (cty.Value, bool) {
	before := len(f.sink.diags)
	var rec recorder
	outer := f.rec
	f.rec = &rec
	v, _ := f.value(e)
	outer.through(&rec, e.Range())
	if hcl.Diagnostics(f.sink.diags[before:]).HasErrors() {
		return v, false
	}
	if v.HasMarkDeep(sensitive) {
		f.sink.add(inPlan(name, e))
		return v, false
	}
	v, _ = v.UnmarkDeep()
	if !v.IsWhollyKnown() && openIn(rec.refs) {
		return v, false
	}
	if !v.IsWhollyKnown() {
		// What has been reported elsewhere yields unknown values too.
		if !rec.empty() {
			f.sink.add(tooLate(name, e, rec.refs))
		}
		return v, false
	}
	return v, true
}

func tooLate(name string, e hclsyntax.Expression, refs []Ref) *hcl.Diagnostic {
	detail := "It shapes the plan, so it may use variables, locals and the matrix, not what a run brings."
	at := e.Range()
	refs = slices.Clone(refs)
	slices.SortStableFunc(refs, func(a, b Ref) int { return strength(b) - strength(a) })
	if len(refs) > 0 {
		detail = "It depends on " + refs[0].called() + ". " + detail
	} else {
		detail += " What pick chooses is known once there is a seed."
	}
	if len(refs) > 0 {
		if refs[0].Range.Filename == at.Filename && refs[0].Range.Start.Byte >= at.Start.Byte && refs[0].Range.End.Byte <= at.End.Byte {
			at = refs[0].Range
		}
	}
	return diag.New(diag.KnownTooLate, at, name+" must be known before anything runs", detail)
}

// strength is how much a reference says about why something is known late.
func strength(r Ref) int {
	if r.Kind == ParamRef {
		return 1
	}
	return 0
}

// called is how a reference is written.
func (r Ref) called() string {
	if r.Kind == ParamRef {
		return rootParam + "." + r.Name + ", which is given what is known later"
	}
	return r.Address
}

// forEach makes an instance for each element. Only their number and their keys
// must be known, not the elements themselves.
func (x *expansion) forEach(s *instances, e hclsyntax.Expression) {
	f := x.checker(s.decl.file, s.place, &s.rec)
	before := len(x.sink.diags)
	v, _ := f.value(e)
	s.over, s.typed = e, f.typed(e)
	s.failed = true
	if hcl.Diagnostics(x.sink.diags[before:]).HasErrors() {
		return
	}
	if v.HasMark(sensitive) || v.Type().IsSetType() && v.HasMarkDeep(sensitive) {
		x.sink.add(inPlan("for_each", e))
		return
	}
	v, _ = v.Unmark()
	t := v.Type()
	switch {
	case v.IsNull():
		x.sink.add(diag.New(diag.BadCount, e.Range(), "for_each is null", "It takes a list, a set or a map."))
		return
	case t == cty.DynamicPseudoType && s.rec.empty():
		return // reported where it came from
	case t != cty.DynamicPseudoType && (t.IsPrimitiveType() || t.IsCapsuleType() || t.Equals(schema.NodeType)):
		detail := "It takes a list, a set or a map."
		if t.Equals(schema.NodeType) {
			detail += " A single node goes into brackets: [" + "node.NAME]."
		}
		x.sink.add(diag.New(diag.BadCount, e.Range(), "for_each takes a collection, this is "+typeName(t), detail))
		return
	case openIn(s.rec.refs) && (t == cty.DynamicPseudoType || !v.IsWhollyKnown()):
		s.open, s.object = true, t.IsMapType() || t.IsSetType() || t.IsObjectType()
		if t.IsCollectionType() {
			s.elem = t.ElementType()
		}
		return
	case t == cty.DynamicPseudoType, !v.IsKnown() && !t.IsTupleType() && !t.IsObjectType(), t.IsSetType() && !v.IsWhollyKnown():
		if !s.rec.empty() {
			x.sink.add(tooLate("for_each", e, s.rec.refs))
		}
		return
	}
	s.failed = false
	s.object = !t.IsListType() && !t.IsTupleType()
	if t, ok := f.flat(e); ok && len(t) == 2 && hasInstances(t.RootName()) {
		s.alias = t
	}
	x.eachElement(s, e, v)
}

func (x *expansion) eachElement(s *instances, e hclsyntax.Expression, v cty.Value) {
	keys, values := entries(v)
	if len(keys) > maxInstances {
		s.failed = true
		x.sink.add(diag.New(diag.TooMany, e.Range(), "more than "+indexText(maxInstances)+" instances", "for_each has "+indexText(len(keys))+" elements."))
		return
	}
	for i, k := range keys {
		if k.IsNull() || k.Type() != cty.String && k.Type() != cty.Number {
			s.failed = true
			x.sink.add(diag.New(diag.BadCount, e.Range(), "for_each over a set takes strings or numbers", "Its elements are the keys of the instances."))
			return
		}
		if s.object {
			k, _ = convert.Convert(k, cty.String)
		}
		s.add(k, values[i])
	}
}

// entries lists keys and values of a collection whose shape is known. The keys
// of a set are its elements.
func entries(v cty.Value) (keys, values []cty.Value) {
	t := v.Type()
	if !v.IsKnown() && t.IsTupleType() {
		for i, el := range t.TupleElementTypes() {
			keys, values = append(keys, cty.NumberIntVal(int64(i))), append(values, cty.UnknownVal(el))
		}
		return keys, values
	}
	if !v.IsKnown() { // an object
		for _, n := range attributeNames(t) {
			keys, values = append(keys, cty.StringVal(n)), append(values, cty.UnknownVal(t.AttributeType(n)))
		}
		return keys, values
	}
	for it := v.ElementIterator(); it.Next(); {
		k, el := it.Element()
		keys, values = append(keys, k), append(values, el)
	}
	return keys, values
}

// inPlan reports a sensitive value that the plan would show.
func inPlan(name string, e hclsyntax.Expression) *hcl.Diagnostic {
	return diag.New(diag.DependsOnSensitive, e.Range(), name+" depends on a sensitive value", "It shapes the plan, which is printed.")
}
