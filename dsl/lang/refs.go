package lang

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/schema"
)

// flat writes a reference with a computed index, node.web[each.key].ip, as one
// traversal, if the index is the same each time: it is known early and doesn't
// hang on the variable of a for.
func (f frame) flat(e hclsyntax.Expression) (hcl.Traversal, bool) {
	switch e := e.(type) {
	case *hclsyntax.ScopeTraversalExpr:
		_, local := f.local(e.Traversal.RootName())
		return e.Traversal, !local
	case *hclsyntax.ParenthesesExpr:
		return f.flat(e.Expression)
	case *hclsyntax.RelativeTraversalExpr:
		t, ok := f.flat(e.Source)
		return slices.Concat(t, e.Traversal), ok
	case *hclsyntax.IndexExpr:
		t, ok := f.flat(e.Collection)
		if !ok || f.usesLocals(e.Key) {
			return nil, false
		}
		quiet := f
		if f.checking() {
			quiet, _ = f.silently()
			quiet.rec = nil
		}
		quiet.dead = false
		key, diags := quiet.value(e.Key)
		key, _ = key.Unmark()
		if diags.HasErrors() || !key.IsKnown() || key.IsNull() || !key.Type().IsPrimitiveType() {
			return nil, false
		}
		return slices.Concat(t, hcl.Traversal{hcl.TraverseIndex{Key: key, SrcRange: e.BracketRange}}), true
	}
	return nil, false
}

func (f frame) usesLocals(e hclsyntax.Expression) bool {
	for _, t := range hclsyntax.Variables(e) {
		if _, ok := f.local(t.RootName()); ok {
			return true
		}
	}
	return false
}

// typed says whether the type of an expression comes from a declaration, so
// that an attribute it doesn't have is a mistake wherever it stands.
func (f frame) typed(e hclsyntax.Expression) bool {
	switch e := e.(type) {
	case *hclsyntax.ScopeTraversalExpr:
		if _, local := f.local(e.Traversal.RootName()); local {
			return false
		}
		return hasInstances(e.Traversal.RootName())
	case *hclsyntax.ParenthesesExpr:
		return f.typed(e.Expression)
	case *hclsyntax.RelativeTraversalExpr:
		return f.typed(e.Source)
	case *hclsyntax.IndexExpr:
		return f.typed(e.Collection)
	case *hclsyntax.FunctionCallExpr:
		return isWindow(e.Name)
	}
	return false
}

func (f frame) index(e *hclsyntax.IndexExpr) (cty.Value, hcl.Diagnostics) {
	if t, ok := f.flat(e); ok {
		return f.traverse(t, e.SrcRange)
	}
	coll, diags := f.value(e.Collection)
	key, more := f.value(e.Key)
	diags = append(diags, more...)
	if d := tooLongForNumber(e.Key, key, cty.Number); d != nil {
		diags = append(diags, d)
	}
	if diags.HasErrors() {
		return cty.DynamicVal, diags
	}
	v, more := f.at(coll, f.onlyType(key), e.BracketRange, f.typed(e.Collection))
	return v, append(diags, more...)
}

// at is hcl's index operator, in our words. hard says that the type of what it
// is applied to comes from a declaration.
func (f frame) at(coll, key cty.Value, rng hcl.Range, hard bool) (cty.Value, hcl.Diagnostics) {
	v, diags := hcl.Index(coll, key, &rng)
	if !diags.HasErrors() {
		return v, nil
	}
	if d := f.noAttribute(coll, key, rng); hard && d != nil {
		return f.always(d)
	}
	if t := coll.Type(); !f.dead && (t.Equals(schema.NodeType) || isStepType(t)) {
		if d := f.noAttribute(coll, key, rng); d != nil {
			return cty.DynamicVal, hcl.Diagnostics{d}
		}
	}
	if f.dead && (coll.Type().IsTupleType() || coll.Type().IsObjectType() || coll.IsNull()) {
		return cty.DynamicVal, nil // reached only if it is there
	}
	return v, adoptAs(diag.BadIndex, rng, diags)
}

// traverse evaluates a reference.
func (f frame) traverse(t hcl.Traversal, rng hcl.Range) (cty.Value, hcl.Diagnostics) {
	root := t.RootName()
	if v, ok := f.local(root); ok {
		return f.follow(v, t[1:], false)
	}
	if f.anyRefs {
		f.anyRefs = false
		v, diags := f.traverse(t, rng)
		return like(v), diags
	}
	if !slices.Contains(allRoots, root) {
		return f.unknownRoot(t, rng)
	}
	if f.only != nil && !slices.Contains(f.only, root) {
		return cty.DynamicVal, hcl.Diagnostics{diag.New(diag.NotAllowedHere, rng, root+" can't be used in "+f.purpose,
			list("It may use", f.only))}
	}
	if d := f.barred(t, rng); d != nil {
		return f.always(d)
	}
	name, ok := hcl.TraverseAttr{}, false
	if len(t) > 1 {
		name, ok = t[1].(hcl.TraverseAttr)
	}
	if !ok {
		return cty.DynamicVal, hcl.Diagnostics{diag.New(diag.Incomplete, rng, root+" alone is not a value", "Say which: "+root+".NAME.")}
	}
	switch root {
	case rootScenario:
		return f.scenarioValue(name, t[2:])
	case rootVar:
		return f.variable(name, t[2:], rng)
	case rootParam:
		return f.paramValue(name, t[2:], t[0].SourceRange(), rng)
	case rootLocal:
		return f.localValue(name, t[2:], rng)
	case rootMatrix:
		return f.matrixValue(name, t[2:], t[0].SourceRange())
	case rootEach, rootCount:
		return f.eachValue(root, name, t[2:], rng)
	case rootImage, rootNetwork, rootVolume:
		d, diags := f.declared(root, name, t[0].SourceRange())
		switch {
		case d == nil:
			return f.always(diags[0])
		case d.broken:
			return cty.DynamicVal, nil
		}
		return f.follow(f.x.resource(d), t[2:], true)
	}
	if root == rootRepeat && name.Name == "index" {
		return f.repeatIndex(rng)
	}
	return f.instanceValue(t, name, rng)
}

// takeAsParam is what to do about something that a define doesn't see.
const takeAsParam = "Inside, param, var, local, image and its own steps are visible, nothing else. Take it as a param."

// barred reports a reference inside a define to what a define never sees.
func (f frame) barred(t hcl.Traversal, rng hcl.Range) *hcl.Diagnostic {
	def := f.place.scope.define()
	if def == nil || !slices.Contains([]string{rootScenario, rootMatrix, rootNetwork, rootVolume, rootNode}, t.RootName()) {
		return nil
	}
	what := t.RootName()
	if name, ok := second(t); ok {
		what += "." + name
	}
	return diag.New(diag.NotVisible, rng, what+" is not visible inside "+def.called(), takeAsParam)
}

func (f frame) unknownRoot(t hcl.Traversal, rng hcl.Range) (cty.Value, hcl.Diagnostics) {
	root := t.RootName()
	if len(t) == 1 {
		return f.always(diag.New(diag.UnknownName, rng, "nothing is named "+root,
			`A string stands in quotes; a reference begins with a kind, such as node.`+root+"."))
	}
	candidates := slices.Concat(allRoots, []string{"variable", "locals"})
	hint := diag.Suggest(root, candidates)
	switch root {
	case "variable":
		hint = rootVar
	case "locals":
		hint = rootLocal
	case "output":
		hint = ""
	}
	var o []diag.Option
	if hint != "" {
		o = append(o, diag.Hint(`did you mean "`+hint+`"?`))
	}
	return f.always(diag.New(diag.UnknownName, t[0].SourceRange(), `nothing is referred to by "`+root+`"`,
		list("References begin with", slices.Clone(allRoots)), o...))
}

// declared finds what a name means here.
func (f frame) declared(root string, name hcl.TraverseAttr, from hcl.Range) (*decl, hcl.Diagnostics) {
	if d := f.place.scope.find(root, name.Name); d != nil {
		return d, nil
	}
	at := hcl.RangeBetween(from, name.SrcRange)
	if def := f.place.scope.define(); def != nil && f.x.p.top.find(root, name.Name) != nil {
		return nil, hcl.Diagnostics{diag.New(diag.NotVisible, at, root+"."+name.Name+" is not visible inside "+def.called(), takeAsParam,
			diag.Also(f.x.p.top.find(root, name.Name).named, "declared here"))}
	}
	if d := f.x.p.declared[root][name.Name]; d != nil && d.scope.owner != nil {
		return nil, hcl.Diagnostics{diag.New(diag.NotVisible, at, d.address()+" is visible inside "+d.scope.owner.called()+" only", "",
			diag.Also(d.named, "declared here"))}
	}
	if f.x.p.perhaps.has(root, name.Name) {
		return &decl{root: root, name: name.Name, file: f.file, scope: f.x.p.top, broken: true}, nil
	}
	names := f.place.scope.visible(root)
	detail := ""
	if other := f.otherKind(root, name.Name); other != "" {
		detail = "There is " + other + "." + name.Name + "."
	} else if diag.Suggest(name.Name, names) == "" && len(names) <= fewNames {
		detail = thereAre(addresses(root, names))
	}
	return nil, hcl.Diagnostics{diag.New(diag.UnknownName, at, "no "+word(root)+` named "`+name.Name+`"`, detail, diag.DidYouMean(name.Name, names))}
}

// fewNames can be told all, where none is like the one that isn't there.
const fewNames = 8

func addresses(root string, names []string) []string {
	all := make([]string, len(names))
	for i, n := range names {
		all[i] = root + "." + n
	}
	return all
}

// otherKind says under which other root a name is declared. A scenario is named
// for people; nothing refers to it.
func (f frame) otherKind(root, name string) string {
	for _, r := range allRoots {
		if r != root && r != rootScenario && f.place.scope.find(r, name) != nil {
			return r
		}
	}
	return ""
}

// nameRange is the range of a name without the dot before it.
func nameRange(t hcl.TraverseAttr) hcl.Range {
	r := t.SrcRange
	if d := r.End.Byte - r.Start.Byte - len(t.Name); d > 0 && r.Start.Line == r.End.Line {
		r.Start.Byte += d
		r.Start.Column += d
	}
	return r
}
