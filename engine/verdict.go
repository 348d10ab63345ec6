package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// The exit codes that a run itself can come to. The command line has others.
const (
	codePassed       = 0
	codeFailed       = 1
	codeInvalid      = 3
	codeError        = 4
	codeInconclusive = 6
	codeLeftBehind   = 7
	codeTimeLimit    = 8
	codeInternal     = 70
	codeInterrupted  = 130
	codeTerminated   = 143
)

// precedence is the order in which the results of several variants count.
var precedence = []int{
	codeInternal, codeInterrupted, codeTerminated, codeInvalid, codeTimeLimit,
	codeFailed, codeError, codeInconclusive, codeLeftBehind,
}

// worst is the exit code that counts among several.
func worst(codes map[int]bool) int {
	for _, code := range precedence {
		if codes[code] {
			return code
		}
	}
	return codePassed
}

// code is the exit code of a variant alone. A cancelled one has none of its
// own: what cancelled it has.
func (v VariantResult) code() int {
	switch {
	case v.internal:
		return codeInternal
	case v.TimedOut:
		return codeTimeLimit
	case v.State == event.Failed:
		return codeFailed
	case v.State == event.Error:
		return codeError
	case v.State == event.Inconclusive:
		return codeInconclusive
	case v.Left > 0:
		return codeLeftBehind
	default:
		return codePassed
	}
}

// stateOf is the state of a run that ends with an exit code.
func stateOf(code int) event.State {
	switch code {
	case codePassed, codeLeftBehind:
		return event.Passed
	case codeFailed, codeTimeLimit:
		return event.Failed
	case codeInconclusive:
		return event.Inconclusive
	case codeInterrupted, codeTerminated:
		return event.Cancelled
	default:
		return event.Error
	}
}

// severity orders the states of a variant: a failure is not hidden by what
// breaks after it, nor a broken lab by something that can't be concluded.
var severity = []event.State{event.Passed, event.Skipped, event.Cancelled, event.Inconclusive, event.Error, event.Failed}

// worse says that state counts more than other.
func worse(state, other event.State) bool {
	return slices.Index(severity, state) > slices.Index(severity, other)
}

// limit is a time limit that was reached. As the cause of a context it says
// which one ended it.
type limit struct {
	what  string // "the step's time limit"
	of    time.Duration
	where string // where it is written
	run   bool   // the run's
}

func (l *limit) Error() string {
	if l.where == "" {
		return fmt.Sprintf("%s of %s was reached", l.what, text(l.of))
	}
	return fmt.Sprintf("%s of %s (%s) was reached", l.what, text(l.of), l.where)
}

// text is a duration as a file says it: 5m, not 5m0s.
func text(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// withLimit returns a context that ends with l as its cause when l's time is
// over. The clock decides, so that tests can.
func withLimit(ctx context.Context, clock step.Clock, l *limit) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		if clock.Sleep(ctx, l.of) == nil {
			cancel(l)
		}
	}()
	return ctx, func() { cancel(context.Canceled) }
}

// stopped is the cause of contexts that end because the scenario does: no
// more is started.
type stopped struct{ why string }

func (s *stopped) Error() string { return s.why }

// classify says how an error that a step came back with counts. ctx is the
// step's: if it had ended, that is why the step failed, whatever it says.
func classify(ctx context.Context, err error) *event.Cause {
	var l *limit
	var stop *stopped
	switch cause := context.Cause(ctx); {
	case errors.As(cause, &stop):
		return &event.Cause{State: event.Cancelled, Message: stop.why}
	case errors.As(cause, &l):
		return withDetail(&event.Cause{State: event.Failed, Message: limitMessage(l, err)}, err)
	case cause != nil:
		return &event.Cause{State: event.Cancelled, Message: "cancelled: " + cause.Error()}
	}
	return withDetail(&event.Cause{State: verdictOf(err), Message: oneLine(err)}, err)
}

// limitMessage says which limit ended something, and what was seen last.
func limitMessage(l *limit, err error) string {
	if last := lastSeen(err); last != "" {
		return l.Error() + "; last seen: " + last
	}
	return l.Error()
}

// lastSeen is what err says beyond that its context ended.
func lastSeen(err error) string {
	var t *step.Timeout
	if errors.As(err, &t) && t.Last != nil {
		err = t.Last
	}
	var l *limit
	if err == nil || errors.As(err, &l) || err == context.Canceled || err == context.DeadlineExceeded {
		return ""
	}
	return firstLine(err.Error())
}

// verdictOf is how an error counts that no limit explains.
func verdictOf(err error) event.State {
	if step.LabBroke(err) {
		return event.Error
	}
	var e *step.Error
	if errors.As(err, &e) && e.Verdict != "" {
		return event.State(e.Verdict)
	}
	var l *limit
	var ended *endedError
	if errors.As(err, &l) || errors.As(err, &ended) || runtime.KindOf(err) == runtime.NodeFault {
		return event.Failed
	}
	return event.Error
}

// withDetail takes over what the chain of err has for a reader.
func withDetail(c *event.Cause, err error) *event.Cause {
	var s *step.Error
	if errors.As(err, &s) {
		c.Detail, c.Hint, c.LogOf = s.Detail, s.Hint, s.LogOf
	}
	var r *runtime.Error
	if errors.As(err, &r) {
		if c.Detail == "" {
			c.Detail, c.LogOf = r.Detail, ""
		}
		if c.Hint == "" {
			c.Hint = r.Hint
		}
	}
	if c.Detail == "" && err != nil && strings.Contains(strings.TrimSpace(err.Error()), "\n") {
		c.Detail = err.Error()
	}
	return c
}

func oneLine(err error) string { return firstLine(err.Error()) }

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
