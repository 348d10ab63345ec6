package step

import (
	"fmt"
	"slices"

	"github.com/scenario-run/scenario/engine/runtime"
)

// Verdict is how a step that did not pass counts.
type Verdict string

// The verdicts: the product failed; nothing can be said; the lab broke.
const (
	Failed       Verdict = "failed"
	Inconclusive Verdict = "inconclusive"
	Broken       Verdict = "error"
)

// Error is a failure with a verdict. An error without one counts by
// runtime.KindOf: what a node did itself failed, all else broke.
type Error struct {
	Verdict Verdict
	Err     error
	Detail  string // more lines: output, the product's own message
	Hint    string // what to do next
	LogOf   string // address of the node whose last lines Detail is; empty: it is something else
	// Final ends a Poll at once.
	Final bool
	// Lapsed says of a fault that it had ended before it was to.
	Lapsed bool
}

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Failf returns an error that says the system under test failed.
func Failf(format string, args ...any) *Error {
	return &Error{Verdict: Failed, Err: fmt.Errorf(format, args...)}
}

// Inconclusivef returns an error that says nothing can be concluded.
func Inconclusivef(format string, args ...any) *Error {
	return &Error{Verdict: Inconclusive, Err: fmt.Errorf(format, args...)}
}

// Lapsedf returns an error that says that a fault had ended before it was healed,
// so that nothing can be concluded from what happened meanwhile. It is gone.
func Lapsedf(format string, args ...any) *Error {
	return &Error{Verdict: Inconclusive, Err: fmt.Errorf(format, args...), Lapsed: true}
}

// IsLapse says that an error in err's tree is that of a fault which had ended.
func IsLapse(err error) bool {
	return anyOf(err, func(err error) bool {
		e, ok := err.(*Error)
		return ok && e.Lapsed
	})
}

// With returns the error with more lines and a next step.
func (e *Error) With(detail, hint string) *Error {
	c := *e
	c.Detail, c.Hint = detail, hint
	return &c
}

// WithLog returns the error with the last lines of a node as its Detail.
func (e *Error) WithLog(node, lines string) *Error {
	c := *e
	c.Detail, c.LogOf = lines, node
	return &c
}

// AsFinal returns the error so that it ends a Poll.
func (e *Error) AsFinal() *Error {
	c := *e
	c.Final = true
	return &c
}

// IsFinal says that asking again is useless: an error in err's tree is final.
func IsFinal(err error) bool {
	return anyOf(err, func(err error) bool {
		e, ok := err.(*Error)
		return ok && e.Final
	})
}

// LabBroke says that the cause lies with the place where nodes live, whatever
// those who passed the error on took it for.
func LabBroke(err error) bool {
	return anyOf(err, func(err error) bool {
		switch e := err.(type) {
		case *Error:
			return e.Verdict == Broken
		case *runtime.Error:
			return e.Kind == runtime.Unreachable || e.Kind == runtime.Unsupported
		}
		return false
	})
}

// anyOf says that is holds for an error of err's tree.
func anyOf(err error, is func(error) bool) bool {
	if err == nil {
		return false
	}
	if is(err) {
		return true
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		return anyOf(e.Unwrap(), is)
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(e.Unwrap(), func(err error) bool { return anyOf(err, is) })
	}
	return false
}

// Timeout is what Poll returns when its time was over: the last error that was
// seen, and why it gave up.
type Timeout struct{ Last, Cause error }

func (t *Timeout) Error() string { return t.Last.Error() }

// Unwrap returns both.
func (t *Timeout) Unwrap() []error { return []error{t.Last, t.Cause} }
