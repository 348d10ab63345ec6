package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/schema"
)

// checkDisks reports faults that fill what can't be filled: paths that are on no
// volume of a size, and more to leave than that. Of what isn't known yet, the
// fault itself says so.
func (b *builder) checkDisks() {
	for _, v := range b.plan.Vertices {
		if v.Kind != StepVertex || b.isConditional(v.Step) || v.Step.Type.Kind != schema.Fault || !takes(v.Step.Type, schema.Disk) {
			continue
		}
		args := b.arguments(v.Step)
		for _, path := range texts(attr(args, "path")) {
			for _, node := range v.Targets {
				if why, hint := b.cannotFill(node, path, attr(args, "leave")); why != "" {
					b.fail(diag.New(diag.InvalidValue, v.Step.Range, fmt.Sprintf("%s: %s", v.Step.Address, why), hint))
				}
			}
		}
	}
}

// cannotFill says why a path of a node can't be filled, empty if it can or isn't
// known, and what to do about it.
func (b *builder) cannotFill(node, path string, leave cty.Value) (why, hint string) {
	const sized = `Mount a volume with a size there: volume "NAME" { size = "64m" }.`
	n := b.node(node)
	if n == nil || n.Kind != "" { // a kind may mount something itself
		return "", ""
	}
	from, known := mountedAt(path, attr(b.some(n.Body, "mounts"), "mounts"))
	name, isVolume := strings.CutPrefix(from, "volume.")
	switch {
	case !known:
		return "", ""
	case from == "":
		return fmt.Sprintf("%s is on the disk of %s itself", path, node), sized
	case !isVolume:
		return fmt.Sprintf("%s in %s is on %s of the host", path, node, strings.TrimSuffix(strings.TrimSuffix(from, ":ro"), ":rw")), sized
	}
	name, _, _ = strings.Cut(name, ":")
	j := slices.IndexFunc(b.variant.Volumes, func(v *lang.Volume) bool { return v.Name == name })
	switch {
	case j < 0:
		return "", ""
	case b.variant.Volumes[j].Size == 0:
		return fmt.Sprintf("%s in %s is on volume.%s, which has no size", path, node, name), "Give the volume a size, such as 64m: it is a file system of its own then."
	}
	for _, text := range texts(leave) {
		if n, err := schema.ParseSize(text); err == nil && n >= b.variant.Volumes[j].Size {
			return fmt.Sprintf("volume.%s has a size of %s, so that %s are always left", name, sizeText(b.variant.Volumes[j].Size), text), "Leave less than its size."
		}
	}
	return "", ""
}

// mountedAt is what is mounted nearest above a path, as the file has it, and
// whether that is known; empty: nothing is.
func mountedAt(path string, mounts cty.Value) (from string, known bool) {
	if !mounts.IsWhollyKnown() {
		return "", false
	}
	if mounts.IsNull() {
		return "", true
	}
	nearest := ""
	for it := mounts.ElementIterator(); it.Next(); {
		key, value := it.Element()
		target := strings.TrimSuffix(key.AsString(), "/")
		if (path == target || strings.HasPrefix(path, target+"/")) && len(target) > len(nearest) && !value.IsNull() {
			nearest, from = target, value.AsString()
		}
	}
	return from, true
}
