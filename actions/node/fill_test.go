package node

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/engine/disk"
	"github.com/scenario-run/scenario/engine/step"
	"github.com/scenario-run/scenario/engine/step/steptest"
)

// filled is a world in which two nodes share a volume of 8 MiB.
func filled(free int64) *steptest.World {
	w := world()
	w.Volume = &steptest.Volume{
		Is:    step.Volume{Name: "data", Size: 8 << 20, Nodes: []string{"node.head", "node.worker[1]"}},
		Space: disk.Space{Size: 8 << 20, Free: free},
	}
	return w
}

func fillArgs(node, leave string) given {
	return given{"node": cty.StringVal(node), "path": cty.StringVal("/data"), "leave": cty.StringVal(leave)}
}

func TestAFullVolumeIsSeenOnAllNodesThatHaveItAndGivenBack(t *testing.T) {
	w := filled(6 << 20)
	w.Exit("node.head", 0) // whether it runs doesn't matter
	f, intent := mustInject(t, w, "fill_disk", fillArgs("node.head", "64k"))
	if want := []string{"node.head", "node.worker[1]"}; !slices.Equal(intent.Nodes, want) {
		t.Errorf("on %v, want %v", intent.Nodes, want)
	}
	seen, err := f.Observe(t.Context(), w.Env(), intent)
	if want := []string{"volume.data of head, worker[1] has 64k free; 5.938m were taken"}; err != nil || !slices.Equal(seen.Hits, want) {
		t.Errorf("hits %q, %v", seen.Hits, err)
	}
	if err := f.Verify(t.Context(), w.Env(), intent); err == nil {
		t.Error("verified while in force")
	}
	if err := errors.Join(f.Heal(t.Context(), w.Env(), intent), f.Verify(t.Context(), w.Env(), intent)); err != nil {
		t.Error(err)
	}
	if got := w.Volume.Space; got.Free != 6<<20 || got.Held != 0 {
		t.Errorf("after the heal: %+v", got)
	}
}

// Negative control: the call does nothing, and what is observed is real.
func TestAVolumeThatIsNotFullIsNeverActive(t *testing.T) {
	w := filled(8 << 20)
	w.IgnoreFill = true
	f, intent := mustInject(t, w, "fill_disk", fillArgs("node.head", "0"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Observe(ctx, w.Env(), intent); err == nil {
		t.Error("it was active")
	}
}

func TestWhatCanNotBeFilledIsAFailure(t *testing.T) {
	_, _, err := inject(t, filled(8<<20), "fill_disk", fillArgs("node.worker[0]", "0"))
	failed(t, err, "/data is on the disk of node.worker[0] itself")
	_, _, err = inject(t, filled(8<<20), "fill_disk", fillArgs("node.head", "8m"))
	failed(t, err, "fill volume.data but for 8m: it has a size of 8m")
	_, _, err = inject(t, filled(4096), "fill_disk", fillArgs("node.head", "64k"))
	failed(t, err, "fill volume.data but for 64k: it has no more than 4k free already")
}

func TestPathsToFillAreThoseOfNodes(t *testing.T) {
	a, _ := definition(t, "fill_disk").Args.Attr("path")
	for _, bad := range []string{"data", "/", "/data/../etc", ""} {
		if err := a.Refuse(cty.StringVal(bad)); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
