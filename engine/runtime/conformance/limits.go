package conformance

import (
	"math"

	"github.com/scenario-run/scenario/engine/runtime"
)

// wantLimits checks what a node may use, as far as a kernel is exact: it counts
// memory in pages.
func (l *lab) wantLimits(id runtime.NodeID, want runtime.Limits) {
	l.Helper()
	got, err := l.Limits(l.ctx, id)
	l.must(err)
	if math.Abs(got.CPUs-want.CPUs) > 1e-4 || want.Memory-got.Memory < 0 || want.Memory-got.Memory >= 64<<10 {
		l.Errorf("limits %+v, want %+v", got, want)
	}
}

var limitRules = map[string]func(*lab){
	"a node has the limits that it was created with, until others are set, also after a restart": func(l *lab) {
		spec := l.spec("a", Sleep)
		spec.CPUs, spec.Memory = 0.5, 64<<20
		id := l.create(spec)
		l.wantLimits(id, runtime.Limits{CPUs: 0.5, Memory: 64 << 20})
		_, err := l.StartNode(l.ctx, id)
		l.must(err)
		l.wantLimits(id, runtime.Limits{CPUs: 0.5, Memory: 64 << 20})
		l.must(l.LimitCPUs(l.ctx, id, 0.2))
		l.wantLimits(id, runtime.Limits{CPUs: 0.2, Memory: 64 << 20})
		l.must(l.LimitMemory(l.ctx, id, 96<<20))
		l.must(l.LimitCPUs(l.ctx, id, 0))
		l.wantLimits(id, runtime.Limits{Memory: 96 << 20})
		l.must(l.StopNode(l.ctx, id, 0))
		_, err = l.StartNode(l.ctx, id)
		l.must(err)
		l.wantLimits(id, runtime.Limits{Memory: 96 << 20})
	},
	"a node without limits gets some and is rid of them again": func(l *lab) {
		id, _ := l.start("a", Sleep)
		l.wantLimits(id, runtime.Limits{})
		l.must(l.LimitCPUs(l.ctx, id, 0.1))
		l.must(l.LimitMemory(l.ctx, id, 32<<20))
		l.wantLimits(id, runtime.Limits{CPUs: 0.1, Memory: 32 << 20})
		l.must(l.LimitCPUs(l.ctx, id, 0))
		l.must(l.LimitMemory(l.ctx, id, 0))
		l.wantLimits(id, runtime.Limits{})
	},
	"a limit is set and lifted while a node is paused or down": func(l *lab) {
		l.needs(func(c runtime.Capabilities) bool { return c.Pause })
		id, _ := l.start("a", Sleep)
		l.must(l.PauseNode(l.ctx, id))
		l.must(l.LimitCPUs(l.ctx, id, 0.1))
		l.wantLimits(id, runtime.Limits{CPUs: 0.1})
		l.must(l.SignalNode(l.ctx, id, "SIGKILL"))
		_, err := l.WaitExit(l.ctx, id)
		l.must(err)
		l.must(l.LimitCPUs(l.ctx, id, 0))
		l.must(l.LimitMemory(l.ctx, id, 32<<20))
		_, err = l.StartNode(l.ctx, id)
		l.must(err)
		l.wantLimits(id, runtime.Limits{Memory: 32 << 20})
	},
	"what the machine has is told": func(l *lab) {
		info, err := l.Info(l.ctx)
		l.must(err)
		if info.Machine.CPUs < 1 || info.Machine.Memory < 1<<20 {
			l.Errorf("machine %+v", info.Machine)
		}
	},
}
