package lang

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/schema"
)

// nodes makes the instances of node blocks.
func (x *expansion) nodes(decls []*decl) []*Node {
	var all []*Node
	hosts := map[string]*instance{}
	names := &namesOnNetworks{}
	for _, d := range decls {
		x.shapedByStep(d)
		x.all(d, x.top, func(i *instance) {
			n := x.node(i, names)
			if i.phantom {
				return
			}
			if first := hosts[n.Host]; first != nil {
				x.sink.add(diag.New(diag.DeclaredTwice, d.named, i.address+" has the same host name as "+first.address, "Both would be "+n.Host+".",
					diag.Also(first.decl.named, first.address+" is declared here")))
			}
			hosts[n.Host] = i
			x.fits(i, n.Host)
			all = append(all, n)
		})
	}
	names.report(x.sink)
	return all
}

// fits reports a node whose name and key are too long for a host name.
func (x *expansion) fits(i *instance, host string) {
	if n := len(host); n > longestHost {
		x.sink.add(diag.New(diag.BadName, i.decl.named, "a host name of "+indexText(n)+" characters",
			"What a node is called on its networks has at most "+indexText(longestHost)+", its key included. Choose a shorter one."))
	}
}

func (x *expansion) node(i *instance, names *namesOnNetworks) *Node {
	d := i.decl
	var rec, kindRec recorder
	before := len(x.sink.diags)
	args, _ := x.of(i, &rec).arguments(d.args)
	n := &Node{Address: i.address, Name: d.name, Key: i.key, Host: i.host(), Range: d.rng, Body: x.bodyOf(i, d.args, &rec)}
	if d.kind != nil {
		f := x.of(i, &kindRec)
		kindArgs, _ := f.arguments(d.kind)
		f.together(*d.kindT, d.kind, kindArgs)
		n.Kind, n.KindBody = d.kindT.Name, x.bodyOf(i, d.kind, &kindRec)
	}
	rec.merge(&kindRec)
	n.Refs = inSourceOrder(rec.refs)
	x.notYet(slices.DeleteFunc(slices.Clone(n.Refs), i.set.isShapedBy), before)
	n.Image = x.imageOf(args)
	n.DependsOn = texts(args, "depends_on")
	x.mounts(i, args)
	x.networks(i, args)
	x.ready(i, args)
	if !i.phantom {
		names.add(i, n.Host, args)
	}
	return n
}

// shapedByStep reports a node whose number or keys are those of a step's result.
// They may be known early, but nothing else of it is before nodes are made.
func (x *expansion) shapedByStep(d *decl) {
	set := x.instancesOf(d, x.top)
	if set.failed {
		return // it has been reported
	}
	for _, r := range set.rec.refs {
		if set.isShapedBy(r) {
			x.sink.add(noStep(r))
		}
	}
}

// isShapedBy says that a reference is to what isn't a node, and that for_each or
// count refers to it.
func (s *instances) isShapedBy(r Ref) bool {
	return r.Kind != NodeRef && slices.ContainsFunc(s.rec.refs, func(of Ref) bool { return of.Address == r.Address })
}

func noStep(r Ref) *hcl.Diagnostic {
	return diag.New(diag.NotAllowedHere, r.Range, "a node can't depend on "+r.Address, "Nodes are made before the first step. A step that acts on the node can use it.")
}

// early attributes of nodes: those that are known before a node is started.
var nodeFacts = []string{"", "name", "address", "host", "ip", "image"}

// notYet reports what a node's own body can't use: nodes are made before
// anything runs. What else is wrong with it, reported from a number on, doesn't
// matter any more.
func (x *expansion) notYet(refs []Ref, reported int) {
	for _, r := range refs {
		if r.Kind == NodeRef && slices.Contains(nodeFacts, r.Attr) {
			continue
		}
		kept := slices.DeleteFunc(x.sink.diags[reported:], func(d *hcl.Diagnostic) bool {
			return d.Subject != nil && hcl.RangeOver(*d.Subject, r.Range) == *d.Subject
		})
		x.sink.diags = x.sink.diags[:reported+len(kept)]
		if r.Kind != NodeRef {
			x.sink.add(noStep(r))
		} else {
			x.sink.add(diag.New(diag.NotAllowedHere, r.Range, `a node can't depend on the "`+r.Attr+`" of a node`, "Nodes are made before any is started. A node may use name, host, ip, address and image of others."))
		}
	}
}

// imageOf returns the name of the image block that a node's image is from.
func (x *expansion) imageOf(args cty.Value) string {
	if x.images == nil {
		x.images = map[string]string{}
		for _, d := range slices.Backward(x.p.images) { // the first of equal ones counts
			if v := x.resource(d); v.IsKnown() {
				x.images[v.AsString()] = d.name
			}
		}
	}
	return x.images[text(args, "image")]
}

// partOf returns the place of an element of an argument.
func (i *instance) partOf(name string, step cty.PathStep) hcl.Range {
	a := i.decl.args.attrs[name]
	if a == nil {
		return i.decl.rng
	}
	return narrow(a.Expr, cty.Path{step})
}

// keyOf returns the place of a key of an argument.
func (i *instance) keyOf(name, key string) hcl.Range {
	a := i.decl.args.attrs[name]
	if a == nil {
		return i.decl.rng
	}
	return keyRange(a.Expr, nil, key)
}

// mounts checks what is mounted: a volume, or a path of the host that says how.
func (x *expansion) mounts(i *instance, args cty.Value) {
	m := args.GetAttr("mounts")
	if m.IsNull() || !m.IsKnown() {
		return
	}
	for it := m.ElementIterator(); it.Next(); {
		k, v := it.Element()
		at := i.partOf("mounts", cty.IndexStep{Key: k})
		if err := schema.CheckNodePath(k.AsString()); err != nil {
			x.sink.add(diag.New(diag.InvalidValue, i.keyOf("mounts", k.AsString()), "mounts: "+err.Error(), ""))
		}
		if v.IsNull() || !v.IsKnown() {
			continue
		}
		what := v.AsString()
		if name, ok := strings.CutPrefix(what, rootVolume+"."); ok && x.p.top.find(rootVolume, name) != nil {
			continue
		}
		host, mode, ok := cutLast(what, ":")
		if !ok || mode != "ro" && mode != "rw" || host == "" {
			x.sink.add(diag.New(diag.InvalidValue, at, `"`+what+`" is neither a volume nor a path of the host`,
				`Write volume.NAME, or a path of the host with :ro or :rw after it.`))
			continue
		}
		if !strings.HasPrefix(host, "/") {
			x.sink.add(diag.New(diag.InvalidValue, at, `"`+host+`" is not a whole path of the host`,
				"Write it from / on: the host is the one that nodes run on, which knows nothing of where this file lies."))
		}
	}
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

func (x *expansion) networks(i *instance, args cty.Value) {
	l := args.GetAttr("networks")
	if l.IsNull() || !l.IsKnown() {
		return
	}
	for n, v := range l.AsValueSlice() {
		if v.IsNull() || !v.IsKnown() {
			continue
		}
		name, ok := strings.CutPrefix(v.AsString(), rootNetwork+".")
		if !ok || x.p.top.find(rootNetwork, name) == nil {
			x.sink.add(diag.New(diag.InvalidValue, i.partOf("networks", cty.IndexStep{Key: cty.NumberIntVal(int64(n))}),
				`"`+v.AsString()+`" is not a network of this scenario`, "Write it as network.NAME, and declare it with a network block.",
				diag.DidYouMean(v.AsString(), x.p.top.visible(rootNetwork))))
		}
	}
}

// ready checks that a ready block asks for something.
func (x *expansion) ready(i *instance, args cty.Value) {
	blocks := i.decl.args.blocks["ready"]
	if len(blocks) == 0 || blocks[0].gaps {
		return
	}
	for name := range blocks[0].attrs {
		if name != "within" {
			return
		}
	}
	x.sink.add(diag.New(diag.Contradiction, blocks[0].rng, "ready asks for nothing", "Give http, https, tcp, log or exec; without a ready block a node is ready when it runs."))
}

func notDirectory(path string) string {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "isn't there"
	case !info.IsDir():
		return "is not a directory"
	}
	return ""
}

func notFile(dir, name string) string {
	info, err := os.Stat(filepath.Join(dir, name))
	switch {
	case err != nil:
		return "There is no file " + filepath.ToSlash(filepath.Join(dir, name)) + "."
	case info.IsDir():
		return "It is a directory."
	}
	return ""
}
