package main

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/spf13/cobra"

	"github.com/scenario-run/scenario/dsl/diag"
)

// commandLine is the file name of the place of what is wrong with a command.
const commandLine = "command line"

// commandAnswered gives a program that asked for JSON an answer in it where the
// command can't be understood, or contradicts itself. That what it asked for was
// not reached by whatever reads the flags doesn't matter: it stands there.
func commandAnswered(w *world, root *cobra.Command, err error) error {
	if err == nil {
		return nil
	}
	e := exitOf(err)
	if e.code != exitUsage || e.err == nil || e.answered {
		return err
	}
	asked := askedFor(root, w.args)
	switch {
	case asked.list:
		return commandProblem(e).asJSON(w, e.code)
	case asked.summary != "" && canBeIn("--json", asked.summary) == nil:
		return told(err, tellUnloaded(w, asked.summary, err))
	}
	return err
}

// asked is what a command line says of JSON.
type asked struct {
	list    bool   // on standard output
	summary string // of run: the file
}

// askedFor looks for what asks for JSON among words that need make no sense.
func askedFor(root *cobra.Command, args []string) asked {
	cmd, _, _ := root.Find(args) // the last of them that is a command
	var a asked
	for i, word := range args {
		name, value, joined := strings.Cut(word, "=")
		if !joined && i+1 < len(args) {
			value = args[i+1]
		}
		switch {
		case word == "--":
			return a
		case name == "--json" && cmd.Name() == "run":
			a.summary = value
		case name == "--json":
			a.list = !joined || value == "true"
		case name == "--format" && cmd.Name() == "graph":
			a.list = value == "json"
		}
	}
	return a
}

// commandProblem is what is wrong with a command in the form of what is wrong with
// a file. Its words aren't quoted: there may be secrets among them.
func commandProblem(e *exitError) *problemsError {
	d := diag.New("", hcl.Range{Filename: commandLine}, e.Error(), e.hint)
	return &problemsError{paths: []string{commandLine}, diags: hcl.Diagnostics{d}}
}
