package junit

import (
	"slices"

	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/report/outcome"
)

// Level is what a case of the report is.
type Level int

// The levels.
const (
	Variants Level = iota // a case for each variant
	Steps                 // a case for each step; its variant is part of its class
)

// cases are those of a variant.
func (l Level) cases(run *outcome.Run, v *outcome.Variant) []*result {
	if l == Variants {
		return []*result{variant(run, v)}
	}
	return steps(run, v)
}

// steps are the cases of a variant's steps, and one of the variant itself,
// where it did not pass for a reason that is no step's: a node that exited, or
// an image that can't be had.
func steps(run *outcome.Run, v *outcome.Variant) []*result {
	problems := v.Problems()
	problemOf := func(s *outcome.Step) *outcome.Problem {
		i := slices.IndexFunc(problems, func(p outcome.Problem) bool { return p.Where == s.Address })
		if i < 0 {
			return nil
		}
		return &problems[i]
	}
	var all []*result
	told := false
	for _, s := range v.Steps {
		if s.IsGroup() {
			continue
		}
		p := problemOf(s)
		told = told || p != nil && p.Where == problems[0].Where
		all = append(all, oneStep(v, s, p))
	}
	if len(problems) > 0 && !told {
		all = append(all, variant(run, v))
	}
	return all
}

func oneStep(v *outcome.Variant, s *outcome.Step, p *outcome.Problem) *result {
	r := &result{
		order: v.Key, Name: plain(s.Address), Class: class(v.Started.File) + "." + plain(v.Key),
		File: plain(v.Started.File), Line: s.Place.Line,
	}
	if s.Finished == nil {
		r.Skipped = &message{Message: "never started, or cut off", Type: string(event.Pending)}
		return r
	}
	r.Time = toSeconds(s.Finished.Seconds)
	if s.Finished.Summary != "" {
		r.SystemOut = &text{plain(s.Finished.Summary)}
	}
	switch {
	case p != nil:
		r.judge(s.Finished.State, &message{Message: plain(p.Cause.Message), Type: kindOf(s.Finished.State, &p.Cause), Text: plain(p.Text())})
	case s.Finished.State != event.Passed:
		m := &message{Message: string(s.Finished.State), Type: string(s.Finished.State)}
		if s.Finished.Cause != nil {
			m.Message = plain(s.Finished.Cause.Message)
		}
		r.judge(s.Finished.State, m)
	}
	return r
}

// judge puts a message where its state belongs.
func (r *result) judge(state event.State, m *message) {
	switch state {
	case event.Failed:
		r.Failure = m
	case event.Cancelled, event.Skipped:
		r.Skipped = m
	default:
		r.Error = m
	}
}
