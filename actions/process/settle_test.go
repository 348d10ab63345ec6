package process

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/scenario-run/scenario/engine/process"
	"github.com/scenario-run/scenario/engine/step/steptest"
)

// behindInit is a node whose init is not listed, with a main process and a
// worker that was adopted by the init.
func behindInit() *steptest.World {
	p := func(pid, parent int, name string) process.Process {
		return process.Process{ID: process.ID{PID: pid, Started: 10}, Parent: parent, Name: name, State: "S"}
	}
	return steptest.New(steptest.Node{Address: "node.a", Processes: []process.Process{
		p(9, process.Main, "adopted"), p(7, process.Main, "server"), p(8, 7, "worker"),
	}})
}

// The init exits after its child: a heal in between must not take the node for
// one that goes on.
func TestAHealAwaitsTheExitOfANodeWhoseMainProcessHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, d := behindInit(), killProcess()
		in, _, err := inject(t, w, d, named("server"))
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			synctest.Wait() // the heal waits for the exit
			w.Exit("node.a", 137)
		}()
		if err := heal(t, w, d, in); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(w.Calls(), "start node.a") {
			t.Errorf("it was not started: %s", strings.Join(w.Calls(), ", "))
		}
	})
}

// A server that ends when its worker has, and an init that is about to.
func TestAHealAwaitsTheExitOfANodeWhoseMainProcessFollowedAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, d := behindInit(), killProcess()
		in, _, err := inject(t, w, d, named("worker"))
		if err != nil {
			t.Fatal(err)
		}
		left := w.Processes("node.a")[:1]
		w.SetProcesses("node.a", left...)
		go func() {
			synctest.Wait() // the heal waits for the exit
			w.Exit("node.a", 1)
		}()
		if err := heal(t, w, d, in); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(w.Calls(), "start node.a") {
			t.Errorf("it was not started: %s", strings.Join(w.Calls(), ", "))
		}
	})
}

func TestAHealDoesNotWaitForANodeThatGoesOn(t *testing.T) {
	for _, name := range []string{"worker", "adopted"} {
		synctest.Test(t, func(t *testing.T) {
			w, d := behindInit(), killProcess()
			in, _, err := inject(t, w, d, named(name))
			if err != nil {
				t.Fatal(err)
			}
			begun := time.Now()
			if err := heal(t, w, d, in); err != nil {
				t.Fatal(err)
			}
			if waited := time.Since(begun); waited > 0 || slices.Contains(w.Calls(), "start node.a") {
				t.Errorf("%s: waited %v; %s", name, waited, strings.Join(w.Calls(), ", "))
			}
		})
	}
}
