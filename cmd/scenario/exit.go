package main

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
)

// The exit codes of the program. Those that a run comes to are the engine's.
const (
	exitFailed     = 1 // what was to be checked doesn't hold
	exitUsage      = 2
	exitInvalid    = 3
	exitLab        = 4 // what scenario works with broke
	exitNothing    = 5
	exitLeftBehind = 7
	exitInternal   = 70
)

// exitError ends the program with a code. Err is printed; nil if all has been
// said.
type exitError struct {
	code int
	err  error
	hint string // what to do next
	// answered says that a program that asked for JSON has been told.
	answered bool
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usage is a command that can't be understood or contradicts itself.
func usage(format string, args ...any) *exitError {
	return &exitError{code: exitUsage, err: fmt.Errorf(format, args...)}
}

func (e *exitError) with(hint string) *exitError {
	c := *e
	c.hint = hint
	return &c
}

// exitOf is what an error ends the program with.
func exitOf(err error) *exitError {
	e := &exitError{code: exitLab, err: err}
	errors.As(err, &e)
	return e
}

// told is an error of which a program that asked for JSON has been told, and what
// went wrong with that.
func told(err, telling error) error {
	e := *exitOf(err)
	e.answered = true
	return errors.Join(&e, telling)
}

// exit prints an error and returns the code that the program ends with.
func exit(w *world, err error) int {
	if err == nil {
		return 0
	}
	e := exitOf(err)
	var problems *problemsError
	switch {
	case errors.As(e.err, &problems):
		// Nobody is left to tell that this can't be printed.
		_ = w.printDiagnostics(problems.color, problems.texts, problems.diags)
	case e.err != nil:
		fmt.Fprintf(w.stderr, "scenario: %s\n", strings.TrimSpace(e.err.Error()))
	}
	if e.hint != "" {
		fmt.Fprintln(w.stderr, e.hint)
	}
	return e.code
}

const issues = "https://github.com/scenario-run/scenario/issues"

// recovered is a panic that nothing below caught.
func recovered(w *world, v any) int {
	fmt.Fprintf(w.stderr, `scenario: internal error: %v
This is a bug of scenario, not of what was tested. Please report it at
%s with the command, the output of "scenario version", and
what follows. "scenario clean" removes what a run may have left.

%s`, v, issues, debug.Stack())
	return exitInternal
}

// meaning is what an exit code says.
type meaning struct {
	code int
	text string
}

// exitCodes are all that the program ends with; those that a run comes to are
// the engine's.
func exitCodes() []meaning {
	return []meaning{
		{0, "Passed, or done."},
		{1, "What was tested failed: a condition did not hold, or the system under test refused or died. Of `fmt --check`: a file isn't in canonical form."},
		{exitUsage, "The command can't be understood, or contradicts itself."},
		{exitInvalid, "A file is invalid. It was not run."},
		{exitLab, "The lab broke: Docker is unreachable, an image can't be had, the disk is full. That says nothing about what was tested."},
		{exitNothing, "Nothing was selected."},
		{6, "Inconclusive: too little was seen to judge by, or a fault had no effect."},
		{exitLeftBehind, "Passed, but something could not be removed; the output says what, and how to."},
		{8, "The time limit of the run was reached."},
		{exitInternal, "A bug of scenario."},
		{130, "Interrupted (SIGINT)."},
		{143, "Ended (SIGTERM)."},
	}
}
