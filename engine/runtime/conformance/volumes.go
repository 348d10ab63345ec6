package conformance

import (
	"encoding/json"

	"github.com/scenario-run/scenario/engine/disk"
	"github.com/scenario-run/scenario/engine/runtime"
)

// sized is the size of the volumes of these rules.
const sized = 1 << 20

// small makes a volume with a size and returns it with its agent.
func (l *lab) small() (volume string, a runtime.Agent) {
	l.Helper()
	l.needs(hasAgent)
	volume, err := l.CreateVolume(l.ctx, l.scope, runtime.VolumeSpec{Name: "small", Size: sized})
	l.must(err)
	a, err = l.Agent(l.ctx, l.scope, runtime.Place{Volume: volume})
	l.must(err)
	return volume, a
}

// room runs a job of a volume's agent.
func (l *lab) room(a runtime.Agent, job, spec string) (s disk.Space) {
	l.Helper()
	l.must(a.Run(l.ctx, job, []byte(spec), func(line []byte) error { return json.Unmarshal(line, &s) }))
	return s
}

var volumeRules = map[string]func(*lab){
	"a volume with a size keeps what is on it while its agent is there": func(l *lab) {
		volume, _ := l.small()
		spec := l.spec("a", Sleep)
		spec.Mounts = []runtime.Mount{{Volume: volume, Target: "/data"}}
		id := l.create(spec)
		_, err := l.StartNode(l.ctx, id)
		l.must(err)
		_, err = l.Exec(l.ctx, id, Keep)
		l.must(err)
		l.must(l.SignalNode(l.ctx, id, "SIGKILL"))
		_, err = l.WaitExit(l.ctx, id)
		l.must(err)
		_, err = l.StartNode(l.ctx, id)
		l.must(err)
		r, err := l.Exec(l.ctx, id, Kept)
		l.must(err)
		if string(r.Stdout) != "kept" {
			l.Errorf("the volume has %q", r.Stdout)
		}
	},
	"a volume with a size is filled by its agent, which gives all back": func(l *lab) {
		_, a := l.small()
		empty := disk.Space{Size: sized, Free: sized}
		if got := l.room(a, disk.LookJob, ""); got != empty {
			l.Errorf("at first: %+v", got)
		}
		if got := l.room(a, disk.FillJob, `{"leave": 65536}`); got != (disk.Space{Size: sized, Free: 65536, Held: sized - 65536}) {
			l.Errorf("filled: %+v", got)
		}
		if got := l.room(a, disk.ReleaseJob, ""); got != empty {
			l.Errorf("released: %+v", got)
		}
	},
	"there is no agent of a volume that is not there": func(l *lab) {
		l.needs(hasAgent)
		_, err := l.Agent(l.ctx, l.scope, runtime.Place{Volume: "no-such-volume"})
		l.wantKind(err, runtime.NotFound)
	},
}
