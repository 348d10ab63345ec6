package lang

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
)

// windowCall is during, between and since. Their arguments are not values but
// references, from which the edges of the graph come.
func (f frame) windowCall(e *hclsyntax.FunctionCallExpr) (cty.Value, hcl.Diagnostics) {
	kind := WindowKind(e.Name)
	want := []string{"a workload", "a fault"}
	switch kind {
	case Between:
		want = []string{"a workload", "a step", "a step"}
	case Since:
		want = []string{"a workload", "a step"}
	}
	if len(e.Args) != len(want) || e.ExpandFinal {
		return f.always(diag.New(diag.WrongCall, e.Range(), e.Name+" takes "+plural(len(want), "argument"), windowUse[kind]))
	}
	w := Window{Kind: kind}
	needs := map[WindowKind][]Need{
		During:  {NeedFinished, NeedActive},
		Between: {NeedFinished, NeedActive, NeedFinished},
		Since:   {NeedFinished, NeedFinished},
	}[kind]
	addresses := []*string{&w.Workload, &w.A, &w.B}
	var workload *instance
	var wrong hcl.Diagnostics
	broken := false
	for i, a := range e.Args {
		inst, d := f.written(a, want[i], windowUse[kind])
		if d != nil {
			wrong = append(wrong, d)
			continue
		}
		if inst == nil { // it refers to something broken
			broken = true
			continue
		}
		if i == 0 {
			workload = inst
		}
		*addresses[i] = inst.address
		f.recordRef(inst.set, inst, Ref{Kind: RefKind(inst.decl.root), Name: inst.decl.name, Need: activeOrStarted(needs[i], inst.decl), Range: a.Range()})
	}
	switch {
	case len(wrong) > 0:
		return f.alwaysAll(wrong)
	case broken:
		return cty.DynamicVal, nil
	}
	if !f.checking() {
		v := f.scope.Window(w)
		if v == cty.NilVal {
			v = cty.UnknownVal(f.x.statistics(workload))
		}
		return v, nil
	}
	f.rec.window(w)
	return cty.UnknownVal(f.x.statistics(workload)), nil
}

var windowUse = map[WindowKind]string{
	During:  "Write it as during(workload.NAME, action.FAULT).",
	Between: "Write it as between(workload.NAME, action.A, action.B).",
	Since:   "Write it as since(workload.NAME, action.NAME).",
}

// activeOrStarted is what must have come of a step that a need of activity is
// said of: only faults become active.
func activeOrStarted(n Need, d *decl) Need {
	if n == NeedActive && !d.isFault() {
		return NeedStarted
	}
	return n
}

// written returns the instance that a reference written in the source names,
// nil if it is one to something broken.
func (f frame) written(e hclsyntax.Expression, want, use string) (*instance, *hcl.Diagnostic) {
	set, inst, d := f.reference(e, want, use)
	if d != nil || set == nil {
		return nil, d
	}
	if inst == nil {
		example := set.decl.address() + "[0]"
		if set.object {
			example = set.decl.address() + `["KEY"]`
		}
		return nil, diag.New(diag.BadIndex, e.Range(), set.decl.address()+" is "+plural(len(set.list), "instance")+"; say which", "Such as "+example+".")
	}
	return inst, nil
}

// reference reads a written reference to a declaration, or to one instance of
// it. The set is nil if what it refers to is broken.
func (f frame) reference(e hclsyntax.Expression, want, use string) (*instances, *instance, *hcl.Diagnostic) {
	t, ok := f.flat(e)
	if !ok || len(t) < 2 {
		return nil, nil, diag.New(diag.NotReference, e.Range(), want+" must be named here", strings.TrimSpace("It is not a value but a reference. "+use))
	}
	name, ok := t[1].(hcl.TraverseAttr)
	if !ok {
		return nil, nil, diag.New(diag.NotReference, e.Range(), want+" must be named here", use)
	}
	root := t.RootName()
	if root == rootParam {
		return f.paramReference(t, e.Range(), want, use)
	}
	if !hasInstances(root) {
		return nil, nil, diag.New(diag.WrongTargetKind, e.Range(), want+" must be named here, not "+root+"."+name.Name, use)
	}
	d, diags := f.declared(root, name, t[0].SourceRange())
	if d == nil {
		return nil, nil, diags[0]
	}
	if d.broken {
		return nil, nil, nil
	}
	if why := wrongKind(d, want); why != "" {
		return nil, nil, diag.New(diag.WrongTargetKind, e.Range(), why, use, diag.Also(d.rng, "declared here"))
	}
	set := f.x.instancesOf(d, f.place)
	if set.failed && !set.open {
		return nil, nil, nil
	}
	inst, rest, diags := f.choose(set, t[2:], e.Range())
	if diags.HasErrors() {
		return nil, nil, diags[0]
	}
	if len(rest) > 0 {
		return nil, nil, diag.New(diag.NotReference, rest.SourceRange(), want+" is named here, without an attribute", "Write "+d.address()+" alone.")
	}
	return set, inst, nil
}

func wrongKind(d *decl, want string) string {
	is := d.address() + " is " + map[string]string{
		rootNode: "a node", rootProbe: "a probe", rootAction: "an action", rootWorkload: "a workload",
		rootAssert: "an assert", rootRepeat: "a repeat",
	}[d.root]
	switch want {
	case "a workload":
		if d.root != rootWorkload {
			return is + ", not a workload"
		}
	case "a fault":
		if !d.isFault() {
			return is + ", not a fault"
		}
	case "a step":
		if !d.isStep() {
			return is + ", not a step"
		}
	}
	return ""
}
