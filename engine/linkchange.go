package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/scenario-run/scenario/engine/fault"
	"github.com/scenario-run/scenario/engine/link"
	"github.com/scenario-run/scenario/engine/runtime"
)

// linkChange is why an end is changed: for a step that sets links, or for one
// whose links end; or for none, but that things have moved.
type linkChange struct {
	sets  string
	ends  string
	links []link.Link // those that end
}

// changeEnd makes an end's rules and shapes those that are wanted now, in one
// message to its agent. In the same, what is in force before is looked at, and
// noted for those faults of which something was gone; and packets are sent into
// the rules of the step that sets links, so that its fault may be seen to be
// active without a second one.
func (x *executor) changeEnd(ctx context.Context, name string, change linkChange) error {
	end := x.end(name)
	end.Lock()
	defer end.Unlock()
	was := end.state()
	want := x.wantAt(name, change)
	var found linksFound
	asked, err := changeCalls(&was, &want, change, &found)
	if err != nil || len(asked.calls) == 0 {
		return err
	}
	// That something is in force is known before it is: should the call fail
	// half way, it is looked at and taken back.
	end.launches, end.rules, end.leaving, end.arriving = want.launches, want.rules, want.leaving, want.arriving
	if err := x.askSeries(ctx, name, asked); err != nil {
		return err
	}
	x.ask(func() {
		if was.launches == want.launches { // else its start has taken all away, and puts it back
			x.noteLapses(name, was, found, change)
		}
		if want.knocks != nil {
			x.links.met[stepEnd{change.sets, name}] = found.met
		}
	})
	return nil
}

// linksWanted is what an end is to have.
type linksWanted struct {
	launches          int
	rules             []link.Rule
	leaving, arriving []link.Shape
	knocks            []link.Knock // those that show the rules of a step; nil: it has none
}

func (e *linkEnd) state() linksWanted {
	return linksWanted{launches: e.launches, rules: e.rules, leaving: e.leaving, arriving: e.arriving}
}

func (x *executor) wantAt(name string, change linkChange) (w linksWanted) {
	x.ask(func() {
		all, places := x.links.all(), x.linkPlaces()
		w.launches = x.launchesOf(name)
		w.rules = append([]link.Rule{}, link.RulesOf(name, all, places)...)
		leaving, arriving := x.shapesOf(name, all, places)
		w.leaving, w.arriving = append([]link.Shape{}, leaving...), append([]link.Shape{}, arriving...)
		if change.sets != "" {
			if own := link.RulesOf(name, x.links.wanted[change.sets], places); len(own) > 0 {
				w.knocks = append([]link.Knock{}, link.Knocks(own, somewhere(name, places, all, w.rules))...)
			}
		}
	})
	return w
}

// linksFound is what an end has answered.
type linksFound struct {
	rules             []link.Count // before the change
	leaving, arriving []link.Shaped
	met               []link.Count // after it, and after the knocks
}

// changeCalls are the calls that make what was in force what is wanted, and
// look. Where there is nothing to change, what is wanted is what was.
func changeCalls(was, want *linksWanted, change linkChange, found *linksFound) (*linkCalls, error) {
	s := &linkCalls{}
	if len(was.rules) > 0 {
		s.add(link.KnockJob, []link.Knock{}, &found.rules)
	}
	if len(want.rules) > 0 || was.rules != nil {
		s.add(link.RulesJob, want.rules, nil)
	} else {
		want.rules = nil
	}
	slowed := slices.ContainsFunc(change.links, func(l link.Link) bool { return l.Effect.Slows() })
	for _, side := range []struct {
		look, put string
		was, want *[]link.Shape
		found     *[]link.Shaped
	}{
		{link.ShapedJob, link.ShapeJob, &was.leaving, &want.leaving, &found.leaving},
		{link.HeldJob, link.HoldJob, &was.arriving, &want.arriving, &found.arriving},
	} {
		changes := !slices.Equal(*side.was, *side.want)
		if !changes {
			*side.want = *side.was
		}
		if len(*side.was) > 0 && (changes || slowed) {
			s.add(side.look, nil, side.found)
		} else {
			*side.was = nil // what isn't looked at is not missed
		}
		if changes {
			s.add(side.put, *side.want, nil)
		}
	}
	if want.knocks != nil {
		s.add(link.KnockJob, want.knocks, &found.met)
	}
	return s, s.err
}

// noteLapses notes of which faults something was gone from an end, as when its
// agent was killed: whatever comes after, they were not in force all the time. On
// the loop.
func (x *executor) noteLapses(name string, was linksWanted, found linksFound, change linkChange) {
	gone := link.Missing(was.rules, found.rules)
	slow := missingShape(name, was.leaving, found.leaving)
	if slow == nil {
		slow = missingShape(name, was.arriving, found.arriving)
	}
	if len(gone) == 0 && slow == nil {
		return
	}
	places := x.linkPlaces()
	note := func(step string, links []link.Link) {
		if x.links.lapsed[step] != nil {
			return
		}
		for _, r := range link.RulesOf(name, links, places) {
			if slices.Contains(gone, r) {
				x.links.lapsed[step] = fmt.Errorf("the rule to %s is gone from %s", describeRule(r), name)
				return
			}
		}
		if leaving, arriving := x.shapesOf(name, links, places); slow != nil && len(leaving)+len(arriving) > 0 {
			x.links.lapsed[step] = slow
		}
	}
	if change.ends != "" {
		note(change.ends, change.links)
	}
	for _, l := range x.faults {
		if l.State == fault.Active || l.State == fault.Healing { // of one that is being injected it is no lapse
			note(l.Step, x.links.wanted[l.Step])
		}
	}
}

// linkCalls is what an agent is asked for in one message.
type linkCalls struct {
	calls []runtime.Call
	into  []any // where what each writes goes; nil: nobody looks
	err   error
}

func (s *linkCalls) add(job string, spec, into any) {
	text, err := json.Marshal(spec)
	if err != nil && s.err == nil {
		s.err = fmt.Errorf("ask for the job %s: %w", job, err)
	}
	s.calls, s.into = append(s.calls, runtime.Call{Job: job, Spec: text}), append(s.into, into)
}

// askSeries runs jobs of an end's agent.
func (x *executor) askSeries(ctx context.Context, end string, s *linkCalls) error {
	var lines []json.RawMessage
	if err := x.askAgentOf(ctx, end, runtime.SeriesJob, s.calls, &lines); err != nil {
		return err
	}
	if len(lines) != len(s.into) {
		return fmt.Errorf("the agent of %s was asked for %d jobs, and answers for %d", end, len(s.into), len(lines))
	}
	for i, line := range lines {
		if s.into[i] == nil {
			continue
		}
		if err := json.Unmarshal(line, s.into[i]); err != nil {
			return fmt.Errorf("read what the agent of %s says of %s: %w", end, s.calls[i].Job, err)
		}
	}
	return nil
}
