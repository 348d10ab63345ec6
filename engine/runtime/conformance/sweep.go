package conformance

import (
	"slices"
	"sync"

	"github.com/scenario-run/scenario/engine/runtime"
)

var sweepRules = map[string]func(*lab){
	"everything of a scope goes, and a second sweep finds nothing": func(l *lab) {
		l.start("a", Sleep)
		l.create(l.spec("b", Sleep))
		_, err := l.CreateVolume(l.ctx, l.scope, runtime.VolumeSpec{Name: "data"})
		l.must(err)
		info, err := l.Info(l.ctx)
		l.must(err)
		if info.Can.Agent {
			l.agent("")
		}
		owned := l.owned()
		if len(owned) != 1 || owned[0].Scope != l.scope || owned[0].Nodes != 2 || owned[0].Networks != 1 ||
			owned[0].Volumes != 1 || owned[0].Kept || len(owned[0].NodeNames) != 2 {
			l.Errorf("before: %+v", owned)
		}
		swept, err := l.Sweep(l.ctx, l.scope, nil)
		l.must(err)
		if len(swept.Left) > 0 || len(swept.Removed) < 4 {
			l.Errorf("swept %+v", swept)
		}
		if owned := l.owned(); len(owned) != 0 {
			l.Errorf("after: %+v", owned)
		}
		swept, err = l.Sweep(l.ctx, l.scope, nil)
		l.must(err)
		if len(swept.Left)+len(swept.Removed) > 0 {
			l.Errorf("swept again: %+v", swept)
		}
	},
	"what is kept stays usable, with its network and volume, and is known as kept": func(l *lab) {
		volume, err := l.CreateVolume(l.ctx, l.scope, runtime.VolumeSpec{Name: "data"})
		l.must(err)
		spec := l.spec("a", Sleep)
		spec.Mounts = []runtime.Mount{{Volume: volume, Target: "/data"}}
		id := l.create(spec)
		_, err = l.StartNode(l.ctx, id)
		l.must(err)
		l.start("b", Sleep)
		swept, err := l.Sweep(l.ctx, l.scope, []runtime.NodeID{id})
		l.must(err)
		if len(swept.Left) > 0 {
			l.Errorf("left %+v", swept.Left)
		}
		_, err = l.Exec(l.ctx, id, Cat)
		l.must(err)
		owned := l.owned()
		if len(owned) != 1 || !owned[0].Kept || owned[0].Nodes != 1 || owned[0].Networks != 1 || owned[0].Volumes != 1 {
			l.Errorf("owned %+v", owned)
		}
	},
	"another variant is left alone, unless the whole run goes": func(l *lab) {
		l.start("a", Sleep)
		other := l.scope
		other.Variant = "other"
		_, err := l.CreateNetwork(l.ctx, other, runtime.NetworkSpec{Name: "default"})
		l.must(err)
		_, err = l.Sweep(l.ctx, other, nil)
		l.must(err)
		if owned := l.owned(); len(owned) != 1 || owned[0].Variant != l.scope.Variant {
			l.Errorf("owned %+v", owned)
		}
		_, err = l.Sweep(l.ctx, runtime.Scope{Run: l.scope.Run}, nil)
		l.must(err)
		if owned := l.owned(); len(owned) != 0 {
			l.Errorf("owned %+v", owned)
		}
	},
	"two sweeps at once both succeed": func(l *lab) {
		for _, host := range []string{"a", "b", "c"} {
			l.start(host, Sleep)
		}
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				if swept, err := l.Sweep(l.ctx, l.scope, nil); err != nil || len(swept.Left) > 0 {
					l.Errorf("left %+v, %v", swept.Left, err)
				}
			})
		}
		both.Wait()
		if owned := l.owned(); len(owned) != 0 {
			l.Errorf("owned %+v", owned)
		}
	},
}

// owned lists the scopes of the lab's run.
func (l *lab) owned() []runtime.Owned {
	l.Helper()
	all, err := l.Owners(l.ctx)
	l.must(err)
	return slices.DeleteFunc(all, func(o runtime.Owned) bool { return o.Run != l.scope.Run })
}
