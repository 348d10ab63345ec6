package engine

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/disk"
	"github.com/scenario-run/scenario/engine/plan"
	"github.com/scenario-run/scenario/engine/step"
)

// volumes are those of these scenes.
var volumes = []*lang.Volume{{Name: "data", Size: 8 << 20}, {Name: "endless"}}

// fullScene is two nodes with a volume of 8 MiB, of which one has others too.
func fullScene() *scene {
	s := newScene()
	mounts := map[string]cty.Value{"/data": cty.StringVal("volume.data")}
	s.node("a", map[string]cty.Value{"mounts": cty.MapVal(mounts)})
	s.node("b", map[string]cty.Value{"mounts": cty.MapVal(map[string]cty.Value{
		"/data": cty.StringVal("volume.data"), "/data/endless": cty.StringVal("volume.endless"), "/host": cty.StringVal("/tmp:ro"),
	})})
	for _, v := range volumes {
		s.vertices = slices.Insert(s.vertices, 0, &plan.Vertex{ID: "volume." + v.Name, Kind: plan.VolumeVertex, Volume: v})
	}
	for _, v := range s.vertices {
		if v.Kind == plan.CreateVertex {
			v.Waits = append(v.Waits, edge("volume.data", lang.NeedFinished), edge("volume.endless", lang.NeedFinished))
		}
	}
	return s
}

// full is a fault that leaves so many bytes of the volume, for its nodes.
func full(leave int64, nodes ...string) *testFault {
	return &testFault{
		nodes:    nodes,
		onInject: func(ctx context.Context, env *step.Env) error { return env.Disks.Fill(ctx, "data", leave) },
		onObserve: func(ctx context.Context, env *step.Env) error {
			now, err := env.Disks.Space(ctx, "data")
			if err == nil && (now.Free > leave || now.Held == 0) {
				err = fmt.Errorf("not full: %+v", now)
			}
			return err
		},
		onHeal: func(ctx context.Context, env *step.Env) error { return env.Disks.Release(ctx, "data") },
	}
}

func (s *scene) room(name string, want disk.Space) {
	s.then(s.action(name, func(context.Context, *step.Env) (step.Result, error) {
		if got := s.placed.Room("data"); got != want {
			return step.Result{}, step.Failf("room %+v, want %+v", got, want)
		}
		return step.Result{}, nil
	}))
}

func TestAVolumeStaysFullOverARestartUntilItIsHealed(t *testing.T) {
	s := fullScene()
	s.then(s.fault("x", full(4096, "node.a", "node.b"), cty.EmptyObjectVal, schema.Disk), edge("node.a", lang.NeedFinished))
	s.then(s.action("restart", func(ctx context.Context, env *step.Env) (step.Result, error) {
		if err := env.Nodes.Stop(ctx, "node.a", 0); err != nil {
			return step.Result{}, err
		}
		return step.Result{}, env.Nodes.Start(ctx, "node.a")
	}))
	s.room("full", disk.Space{Size: 8 << 20, Free: 4096, Held: 8<<20 - 4096})
	s.then(s.action("heal", func(ctx context.Context, env *step.Env) (step.Result, error) {
		return step.Result{}, env.Faults.Heal(ctx, "action.x")
	}))
	s.room("free", disk.Space{Size: 8 << 20, Free: 8 << 20})
	p := s.play(t, t.TempDir())
	p.expect(t, 0)
}

func TestAVolumeThatWasFreeBeforeTheHealIsInconclusive(t *testing.T) {
	s := fullScene()
	s.then(s.fault("x", full(0, "node.a", "node.b"), cty.EmptyObjectVal, schema.Disk))
	s.then(s.action("lapse", func(context.Context, *step.Env) (step.Result, error) {
		s.placed.LapseVolume("data")
		return step.Result{}, nil
	}))
	p := s.play(t, t.TempDir())
	p.expect(t, 6)
	p.expectCause(t, "heal action.x: it was not in force to its end: what had been taken of volume.data was free before")
}

func TestAVolumeCanBeFilledOnceAtATime(t *testing.T) {
	s := fullScene()
	s.then(s.fault("x", full(0, "node.a", "node.b"), cty.EmptyObjectVal, schema.Disk))
	s.then(s.fault("y", full(0, "node.b"), cty.EmptyObjectVal, schema.Disk))
	p := s.play(t, t.TempDir())
	p.expect(t, codeFailed)
	p.expectCause(t, "node.b is already hit by action.x, which takes its disk as well")
}

func TestTheVolumeOfAPathIsTheOneThatIsMountedNearest(t *testing.T) {
	s := fullScene()
	s.then(s.action("look", func(_ context.Context, env *step.Env) (step.Result, error) {
		for _, q := range []struct{ node, path, want string }{
			{"node.a", "/data", "{data 8388608 [node.a node.b]} <nil>"},
			{"node.a", "/data/endless/x", "{data 8388608 [node.a node.b]} <nil>"},
			{"node.b", "/data/log", "{data 8388608 [node.a node.b]} <nil>"},
			{"node.b", "/data/endless", "{endless 0 [node.b]} /data/endless in node.b is on volume.endless, which has no size and could not be filled alone"},
			{"node.b", "/host/x", "{ 0 []} /host/x in node.b is on /tmp of the host; only a volume with a size can be filled"},
			{"node.a", "/database", "{ 0 []} /database is on the disk of node.a itself; only a volume with a size can be filled"},
		} {
			v, err := env.Disks.Volume(q.node, q.path)
			if got := fmt.Sprint(v, err); got != q.want {
				return step.Result{}, step.Failf("%s in %s: %s, want %s", q.path, q.node, got, q.want)
			}
		}
		return step.Result{}, nil
	}), edge("node.a", lang.NeedFinished))
	s.play(t, t.TempDir()).expect(t, 0)
}
