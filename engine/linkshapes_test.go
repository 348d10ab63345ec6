package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/link"
	"github.com/scenario-run/scenario/engine/step"
)

func slowed(from, to string, latency time.Duration) link.Link {
	return link.Link{From: from, To: to, Effect: link.Effect{Verdict: link.Delay, Latency: latency}}
}

func thin(from, to string, rate int64) link.Link {
	return link.Link{From: from, To: to, Effect: link.Effect{Verdict: link.Limit, Rate: rate}}
}

// withoutNetem makes the kernel one that holds packets back where they arrive.
// It is only asked where a step says that it needs to know.
func (s *linkScene) withoutNetem() {
	s.fake.Lacks = link.Kernel{link.Netem: "this kernel does not have it"}
	for _, v := range s.vertices {
		if v.Step != nil && len(v.Step.Type.Takes) > 0 {
			v.Step.Type.Needs = []schema.Need{{"netem", "nfqueue"}}
		}
	}
}

// lookSlow remembers the latencies at each end: leaving/arriving.
func (s *linkScene) lookSlow(name string) {
	s.do(name, func(context.Context, *step.Env) error {
		var all []string
		for _, end := range []string{"node.a", "node.b", "node.c", "default"} {
			leaving, arriving := s.placed.Slowed(end)
			all = append(all, millis(leaving)+"/"+millis(arriving))
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.seen[name] = strings.Join(all, " ")
		return nil
	})
}

func millis(shapes []link.Shape) string {
	var all []string
	for _, s := range shapes {
		all = append(all, fmt.Sprint(s.Latency.Milliseconds()))
	}
	return strings.Join(all, "+")
}

func TestDelaysAddUpAndHealingOneLeavesTheOther(t *testing.T) {
	for _, test := range []struct {
		name            string
		netem           bool
		both, left, end string
	}{
		{"by the sender", true, "150+100/ / / /", "100/ / / /", "/ / / /"},
		{"by the receiver", false, "/0+0+100 /150 /100 /", "/0+0+100 /100 /100 /", "/ / / /"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newLinkScene()
			s.cut("all", cut([]string{"node.a"}, slowed("node.a", link.Everyone, 100*time.Millisecond)))
			s.cut("one", cut([]string{"node.a", "node.b"}, slowed("node.a", "node.b", 50*time.Millisecond)))
			s.lookSlow("both")
			s.do("mend one", heals("one"))
			s.lookSlow("left")
			s.do("mend all", heals("all"))
			s.lookSlow("end")
			if !test.netem {
				s.withoutNetem()
			}
			s.play(t, t.TempDir()).expect(t, 0)
			s.expectSeen(t, "both", test.both)
			s.expectSeen(t, "left", test.left)
			s.expectSeen(t, "end", test.end)
		})
	}
}

func TestADelayThatIsHeldByAgentsSaysSo(t *testing.T) {
	s := newLinkScene()
	f := cut([]string{"node.a", "node.b"}, slowed("node.a", "node.b", 50*time.Millisecond))
	var note string
	f.onObserve = func(ctx context.Context, env *step.Env) error {
		seen, err := env.Links.Observe(ctx)
		note = seen.Note
		return err
	}
	s.cut("slow", f)
	s.withoutNetem()
	s.play(t, t.TempDir()).expect(t, 0)
	if !strings.Contains(note, "this kernel has no netem") {
		t.Errorf("%q", note)
	}
}

// Negative controls: with what changes the kernel replaced by nothing, and the
// observation left as it is, a fault must not pass for active.
func TestWhatIsNotSlowMakesTheFaultInconclusive(t *testing.T) {
	for _, test := range []struct {
		name  string
		links []link.Link
		job   string
		netem bool
	}{
		{"a delay by netem", []link.Link{slowed("node.a", "node.b", time.Second)}, link.ShapeJob, true},
		{"a delay by holding", []link.Link{slowed("node.a", "node.b", time.Second)}, link.HoldJob, false},
		{"a limit", []link.Link{thin("node.a", "node.b", 1000)}, link.ShapeJob, true},
		{"a limit for everyone", []link.Link{thin("node.a", link.Everyone, 1000)}, link.ShapeJob, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newLinkScene()
			s.fake.Jobs = map[string]func(context.Context, []byte, func([]byte) error) error{
				test.job: func(_ context.Context, _ []byte, line func([]byte) error) error { return line([]byte("[]")) },
			}
			s.cut("slow", cut([]string{"node.a", "node.b"}, test.links...))
			if !test.netem {
				s.withoutNetem()
			}
			p := s.play(t, t.TempDir())
			p.expect(t, 6)
			p.expectCause(t, "never became active")
			p.expectCause(t, "is not in force at node.")
		})
	}
}

// The kernel says that it is in force, but packets don't take any longer.
func TestADelayThatIsNotMeasuredIsInconclusive(t *testing.T) {
	s := newLinkScene()
	s.fake.Jobs = map[string]func(context.Context, []byte, func([]byte) error) error{
		link.RoundJob: func(_ context.Context, spec []byte, line func([]byte) error) error {
			var rounds link.Rounds
			if err := json.Unmarshal(spec, &rounds); err != nil {
				return err
			}
			text, err := json.Marshal([]link.Trip{{To: rounds.To[0], Took: 3 * time.Millisecond}})
			if err != nil {
				return err
			}
			return line(text)
		},
	}
	s.cut("slow", cut([]string{"node.a", "node.b"}, slowed("node.a", "node.b", 100*time.Millisecond)))
	p := s.play(t, t.TempDir())
	p.expect(t, 6)
	p.expectCause(t, "and back took 3ms, less than the 100ms of its delay")
}

// Nodes hold what arrives there: where one of them does not, all others are not
// enough.
func TestADelayThatOneOfAllDoesNotHoldIsInconclusive(t *testing.T) {
	s := newLinkScene()
	s.fake.Jobs = map[string]func(context.Context, []byte, func([]byte) error) error{
		link.RoundJob: func(_ context.Context, spec []byte, line func([]byte) error) error {
			var rounds link.Rounds
			if err := json.Unmarshal(spec, &rounds); err != nil {
				return err
			}
			var trips []link.Trip
			for i, to := range rounds.To {
				trips = append(trips, link.Trip{To: to, Took: []time.Duration{100 * time.Millisecond, 0}[i%2]})
			}
			text, err := json.Marshal(trips)
			if err != nil {
				return err
			}
			return line(text)
		},
	}
	s.cut("slow", cut([]string{"node.a"}, slowed("node.a", link.Everyone, 100*time.Millisecond)))
	s.withoutNetem()
	p := s.play(t, t.TempDir())
	p.expect(t, 6)
	p.expectCause(t, "less than the 100ms of its delay")
}

// Nothing comes back from it, which another look doesn't change.
func TestADelayToANodeThatEndsMeanwhileIsNotWaitedFor(t *testing.T) {
	for _, dies := range []string{"node.a", "node.b"} {
		s := newLinkScene()
		s.mayExit()
		s.fake.Jobs = map[string]func(context.Context, []byte, func([]byte) error) error{
			link.RoundJob: func(_ context.Context, spec []byte, line func([]byte) error) error {
				s.placed.ExitIfThere(dies, 137)
				var rounds link.Rounds
				if err := json.Unmarshal(spec, &rounds); err != nil {
					return err
				}
				text, err := json.Marshal([]link.Trip{{To: rounds.To[0], Error: "no answer"}})
				return errors.Join(err, line(text))
			},
		}
		s.cut("slow", cut([]string{"node.a", "node.b"}, slowed("node.a", "node.b", 100*time.Millisecond)))
		began := time.Time{}
		s.do("then", func(_ context.Context, env *step.Env) error {
			began = env.Clock.Now()
			return nil
		})
		p := s.play(t, t.TempDir())
		p.expect(t, 0)
		if took := began.Sub(p.events[0].Time); took > time.Second {
			t.Errorf("%s: it took %s", dies, took)
		}
	}
}

// The way to a node that a fault has taken off the network can't be measured.
func TestADelayIsMeasuredWhereThereIsAWay(t *testing.T) {
	s := newLinkScene()
	asked := map[netip.Addr]bool{}
	s.fake.Jobs = map[string]func(context.Context, []byte, func([]byte) error) error{
		link.RoundJob: func(_ context.Context, spec []byte, line func([]byte) error) error {
			var rounds link.Rounds
			if err := json.Unmarshal(spec, &rounds); err != nil {
				return err
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			var trips []link.Trip
			for _, to := range rounds.To {
				asked[to] = true
				trips = append(trips, link.Trip{To: to, Took: 50 * time.Millisecond})
			}
			text, err := json.Marshal(trips)
			if err != nil {
				return err
			}
			return line(text)
		},
	}
	s.do("off", func(ctx context.Context, env *step.Env) error {
		on, err := env.Nodes.Attachments(ctx, "node.c")
		if err != nil {
			return err
		}
		return env.Nodes.Disconnect(ctx, "node.c", on[0])
	})
	s.cut("slow", cut([]string{"node.a"}, slowed("node.a", link.Everyone, 50*time.Millisecond)))
	s.play(t, t.TempDir()).expect(t, 0)
	if len(asked) != 2 { // a by the network's agent, b by a
		t.Errorf("asked: %v", asked)
	}
}

func TestADelayBehindAPartitionIsTakenAtTheKernelsWord(t *testing.T) {
	s := newLinkScene()
	s.cut("cut", cut([]string{"node.a", "node.b"}, dropped("node.b", "node.a")))
	s.cut("slow", cut([]string{"node.a", "node.b"}, slowed("node.a", "node.b", 50*time.Millisecond)))
	s.lookSlow("both")
	s.play(t, t.TempDir()).expect(t, 0)
	s.expectSeen(t, "both", "50/ / / /")
}

func TestADelayThatLapsedIsInconclusive(t *testing.T) {
	s := newLinkScene()
	s.cut("slow", cut([]string{"node.a", "node.b"}, slowed("node.a", "node.b", 50*time.Millisecond)))
	s.do("lapse", func(context.Context, *step.Env) error {
		s.placed.Lapse("node.a")
		return nil
	})
	s.do("mend", heals("slow"))
	p := s.play(t, t.TempDir())
	p.expect(t, 6)
	p.expectCause(t, "was not in force to its end: the delay of 50ms")
}

func TestADelayIsBackAfterARestartAndTheGapIsTold(t *testing.T) {
	s := newLinkScene()
	s.cut("slow", cut([]string{"node.a", "node.b"}, slowed("node.a", "node.b", 50*time.Millisecond)))
	for _, n := range []string{"node.a", "node.b"} {
		s.do("kill "+n, func(ctx context.Context, env *step.Env) error { return env.Nodes.Kill(ctx, n, "SIGKILL") })
		s.do("start "+n, func(ctx context.Context, env *step.Env) error { return env.Nodes.Start(ctx, n) })
	}
	s.lookSlow("after")
	s.do("mend", heals("slow"))
	p := s.play(t, t.TempDir())
	p.expect(t, 0)
	s.expectSeen(t, "after", "50/ / / /")
	var gaps []string
	for _, e := range p.events {
		if g, ok := e.Body.(event.FaultGap); ok {
			gaps = append(gaps, g.Step+" at "+g.Node)
		}
	}
	// b receives only: nothing of it is in force there.
	if got := strings.Join(gaps, ", "); got != "action.slow at node.a" {
		t.Errorf("gaps: %s", got)
	}
}

func TestTripsAreMadeAsOftenAsLossesAskFor(t *testing.T) {
	for _, test := range []struct {
		survive float64
		tries   int
		some    bool
	}{{1, 1, true}, {0.7, 1, true}, {0.1, 3, true}, {0.01, 28, true}, {0.001, 277, false}, {0, 1, false}} {
		if tries, some := triesFor(test.survive); some != test.some || some && tries != test.tries {
			t.Errorf("%v: %d %v", test.survive, tries, some)
		}
	}
}

// Behind a loss of 99 per cent trips are made side by side until one comes back.
func TestADelayBehindALossIsMeasuredByMoreTrips(t *testing.T) {
	s := newLinkScene()
	var tries []int
	s.fake.Jobs = map[string]func(context.Context, []byte, func([]byte) error) error{
		link.RoundJob: func(_ context.Context, spec []byte, line func([]byte) error) error {
			var rounds link.Rounds
			if err := json.Unmarshal(spec, &rounds); err != nil {
				return err
			}
			tries = append(tries, rounds.Tries)
			text, err := json.Marshal([]link.Trip{{To: rounds.To[0], Took: 100 * time.Millisecond}})
			if err != nil {
				return err
			}
			return line(text)
		},
	}
	s.hit("lossy", link.Effect{Verdict: link.Lose, Percent: 99}, "node.a", "node.b")
	seen := s.hit("slow", link.Effect{Verdict: link.Delay, Latency: 100 * time.Millisecond}, "node.a", "node.b")
	s.hit("lossier", link.Effect{Verdict: link.Lose, Percent: 99}, "node.b", "node.a")
	unseen := s.hit("slower", link.Effect{Verdict: link.Delay, Latency: 50 * time.Millisecond}, "node.a", "node.b")
	s.play(t, t.TempDir()).expect(t, 0)
	if len(tries) != 1 || tries[0] != 28 || seen.Note != "" {
		t.Errorf("trips side by side: %v, note %q", tries, seen.Note)
	}
	if unseen.Note != "in force; nothing gets through there now" {
		t.Errorf("behind both: note %q", unseen.Note)
	}
}

// What one fault has lost with an agent is not told of another, and is told of
// itself though others were healed before it and put right what they found.
func TestAnAgentsEndIsToldOfEachFaultThatItWasPartOf(t *testing.T) {
	s := newLinkScene()
	s.cut("slow", cut([]string{"node.a", "node.b"}, slowed("node.a", "node.b", 50*time.Millisecond)))
	s.cut("cut", cut([]string{"node.a", "node.c"}, dropped("node.a", "node.c")))
	s.cut("also", cut([]string{"node.a", "node.c"}, dropped("node.a", "node.c"), dropped("node.c", "node.a")))
	s.cut("elsewhere", cut([]string{"node.b", "node.c"}, dropped("node.b", "node.c")))
	s.do("lapse", func(context.Context, *step.Env) error {
		s.placed.Lapse("node.a")
		return nil
	})
	told := map[string]string{}
	for _, name := range []string{"elsewhere", "cut", "also", "slow"} {
		s.do("mend "+name, func(ctx context.Context, env *step.Env) error {
			told[name] = ""
			if err := heals(name)(ctx, env); err != nil {
				told[name] = err.Error()
			}
			return nil
		})
	}
	s.look("after")
	s.lookSlow("slow after")
	s.play(t, t.TempDir()).expect(t, 0)
	for name, want := range map[string]string{
		"cut": "the rule to drop what goes to 10.90.0.130 is gone", "also": "the rule to drop what goes to 10.90.0.130 is gone", "slow": "the delay of 50ms",
	} {
		if !strings.Contains(told[name], "it was not in force to its end: "+want) {
			t.Errorf("%s: %s", name, told[name])
		}
	}
	if told["elsewhere"] != "" {
		t.Errorf("elsewhere: %s", told["elsewhere"])
	}
	s.expectSeen(t, "after", "0 0 0 0")
	s.expectSeen(t, "slow after", "/ / / /")
}
