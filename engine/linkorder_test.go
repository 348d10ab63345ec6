package engine

import (
	"context"
	"encoding/json"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/scenario-run/scenario/engine/link"
	"github.com/scenario-run/scenario/engine/step"
)

// hit is a fault on links by an effect, which remembers what was seen of it.
func (s *linkScene) hit(name string, effect link.Effect, ends ...string) *step.LinksSeen {
	seen := &step.LinksSeen{}
	f := cut([]string{ends[0]}, link.Link{From: ends[0], To: ends[1], Effect: effect})
	f.onObserve = func(ctx context.Context, env *step.Env) (err error) {
		*seen, err = env.Links.Observe(ctx)
		return err
	}
	s.cut(name, f)
	return seen
}

func (s *linkScene) unplug(address string) {
	s.do("unplug", func(ctx context.Context, env *step.Env) error {
		on, err := env.Nodes.Attachments(ctx, address)
		if err != nil {
			return err
		}
		return env.Nodes.Disconnect(ctx, address, on[0])
	})
}

var (
	dropAll  = link.Effect{Verdict: link.Drop}
	loseAll  = link.Effect{Verdict: link.Lose, Percent: 100}
	loseSome = link.Effect{Verdict: link.Lose, Percent: 30}
)

func TestFaultsOnLinksCombineInAnyOrder(t *testing.T) {
	all := []link.Effect{
		dropAll, loseAll, loseSome, {Verdict: link.Drop, Port: 80}, {Verdict: link.Reject, Port: 9},
		{Verdict: link.Delay, Latency: time.Millisecond}, {Verdict: link.Limit, Rate: 1e6},
	}
	for _, first := range all {
		for _, second := range all {
			for _, to := range []string{"node.b", link.Everyone} {
				s := newLinkScene()
				s.hit("first", first, "node.a", link.Everyone)
				s.hit("second", second, "node.a", to)
				if p := s.play(t, t.TempDir()); p.ExitCode != 0 {
					t.Errorf("%+v, then %+v to %q: %s", first, second, to, p.variantCause())
				}
			}
		}
	}
}

func TestARuleBehindOneThatDropsAllIsInForce(t *testing.T) {
	for _, test := range []struct {
		name          string
		first, second link.Effect
		line, note    string
	}{
		{"loss behind a partition", dropAll, loseSome, "1 rule in force behind the rule that drops everything", "in force; nothing reaches it now"},
		{"a port behind a partition", dropAll, link.Effect{Verdict: link.Reject, Port: 80}, "2 rules in force behind the rule that drops everything", "in force; nothing reaches it now"},
		{"loss behind loss of all", loseAll, loseSome, "1 rule in force behind the rule that loses 100% of everything", "in force; nothing reaches it now"},
		{"loss behind other loss", link.Effect{Verdict: link.Lose, Percent: 20}, loseSome, "1 rule in force, met 1 packet", ""},
		{"a delay behind a partition", dropAll, link.Effect{Verdict: link.Delay, Latency: time.Second}, "in force; nothing gets through there now", "in force; nothing gets through there now"},
		{"a partition behind a port", link.Effect{Verdict: link.Drop, Port: 9}, dropAll, "1 rule in force, met 1 packet", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newLinkScene()
			s.hit("first", test.first, "node.a", link.Everyone)
			seen := s.hit("second", test.second, "node.a", link.Everyone)
			s.play(t, t.TempDir()).expect(t, 0)
			if got := strings.Join(seen.Ends, "\n"); !strings.Contains(got, test.line) || seen.Note != test.note {
				t.Errorf("%s\nnote %q", got, seen.Note)
			}
		})
	}
}

// What is meant for everyone goes where no rule before takes it.
func TestARuleForEveryoneIsMetBehindRulesForEachNode(t *testing.T) {
	s := newLinkScene()
	s.hit("b", dropAll, "node.a", "node.b")
	s.hit("c", dropAll, "node.a", "node.c")
	seen := s.hit("all", loseSome, "node.a", link.Everyone)
	s.play(t, t.TempDir()).expect(t, 0)
	if got := strings.Join(seen.Ends, "\n"); got != "node.a: 1 rule in force, met 1 packet" {
		t.Error(got)
	}
}

func TestWhatActsOnANodeThatIsOffItsNetworkIsInForce(t *testing.T) {
	s := newLinkScene()
	s.unplug("node.a")
	rules := s.hit("cut", dropAll, "node.a", link.Everyone)
	slow := s.hit("slow", link.Effect{Verdict: link.Delay, Latency: 100 * time.Millisecond}, "node.a", link.Everyone)
	s.play(t, t.TempDir()).expect(t, 0)
	got := strings.Join(rules.Ends, "\n")
	if !strings.Contains(got, "node.a: 1 rule in force where nothing can be sent now: it is off network default") {
		t.Error(got)
	}
	if slow.Note != "in force; nothing gets through there now" {
		t.Errorf("note %q", slow.Note)
	}
}

// Negative controls: that another fault keeps the packets away says nothing of a
// rule that is not there.
func TestARuleThatIsNotInForceIsInconclusiveBehindAnyOther(t *testing.T) {
	anyone := func(e link.Effect) link.Rule { return link.Rule{Way: link.Out, Verdict: e.Verdict, Percent: e.Percent} }
	toB := link.Rule{Way: link.Out, Peer: netip.MustParseAddr("10.1.0.3"), Verdict: link.Lose, Percent: 100}
	for _, test := range []struct {
		name   string
		before func(*linkScene)
		kernel []link.Count // what it says, whatever it is told
		want   string
	}{
		{
			"loss of all", func(s *linkScene) { s.hit("first", loseAll, "node.a", link.Everyone) },
			[]link.Count{{Rule: anyone(loseAll), Packets: 5}}, "the rule to lose what goes to everyone is not in force at node.a",
		},
		{
			"its like", func(s *linkScene) { s.hit("first", loseSome, "node.a", link.Everyone) },
			[]link.Count{{Rule: anyone(loseSome), Packets: 5}}, "the rule to lose what goes to everyone is not in force at node.a",
		},
		{
			"a network that it is off", func(s *linkScene) { s.unplug("node.a") },
			[]link.Count{}, "the rule to lose what goes to everyone is not in force at node.a",
		},
		{
			"a rule that has met nothing", func(*linkScene) {},
			[]link.Count{{Rule: anyone(loseAll)}, {Rule: anyone(loseSome)}}, "no packet has met the rule to lose what goes to everyone at node.a",
		},
		{
			"a rule for another node", func(*linkScene) {},
			[]link.Count{{Rule: toB, Packets: 5}, {Rule: anyone(loseSome)}}, "no packet has met the rule to lose what goes to everyone at node.a",
		},
		{
			"a rule that comes later", func(*linkScene) {},
			[]link.Count{{Rule: anyone(loseSome)}, {Rule: anyone(loseAll), Packets: 5}}, "no packet has met the rule to lose what goes to everyone at node.a",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newLinkScene()
			s.fake.Jobs = map[string]func(context.Context, []byte, func([]byte) error) error{
				link.KnockJob: func(_ context.Context, _ []byte, line func([]byte) error) error {
					text, err := json.Marshal(test.kernel)
					if err != nil {
						return err
					}
					return line(text)
				},
			}
			test.before(s)
			s.hit("second", loseSome, "node.a", link.Everyone)
			p := s.play(t, t.TempDir())
			p.expect(t, 6)
			p.expectCause(t, "never became active")
			p.expectCause(t, test.want)
		})
	}
}
