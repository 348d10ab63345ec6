package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/engine/process"
	"github.com/scenario-run/scenario/engine/step"
)

// matchIn are the arguments that name processes, the same everywhere.
type matchIn struct {
	Node    step.Node      `scn:"node,required" doc:"The node that they are in."`
	Name    string         `scn:"name" doc:"The kernel's name for the process, or the first word of its title: all of it, its last part if it is a path, or what stands before a colon in it."`
	Command *regexp.Regexp `scn:"command" doc:"A regular expression that is looked for in the whole command line."`
}

// Match says which processes the arguments mean.
func (in matchIn) match() process.Match { return process.Match{Name: in.Name, Command: in.Command} }

const matchDoc = "Processes are named by `name` or by `command`, and are those of the whole node, with the numbers that they have inside it; the init that `init = true` puts before them is none of them. No tool is needed in the node's image."

func checkMatch(args cty.Value) error {
	name, command := args.GetAttr("name"), args.GetAttr("command")
	switch {
	case name.IsNull() && command.IsNull():
		return errors.New("say which processes: name or command is missing")
	case !name.IsNull() && !command.IsNull():
		return errors.New("name and command exclude each other")
	case !name.IsNull() && name.IsKnown() && name.AsString() == "":
		return errors.New("name is empty")
	}
	return nil
}

// The choices among several processes.
const (
	all    = "all"
	first  = "first"
	random = "random"
)

// Target is a process that a fault acts on.
type Target struct {
	process.ID
	Name string `json:"name"`
}

func (t Target) String() string { return fmt.Sprintf("%s pid %d", t.Name, t.PID) }

// Find returns the processes of a node that are meant, and of several those that
// are chosen, the oldest first. That there is none is a failure.
func Find(ctx context.Context, env *step.Env, node string, m process.Match, which string) ([]process.Process, error) {
	found, _, err := findAmong(ctx, env, node, m, which)
	return found, err
}

// findAmong is Find, with all that the node has.
func findAmong(ctx context.Context, env *step.Env, node string, m process.Match, which string) (found, list []process.Process, err error) {
	state, err := env.Nodes.State(ctx, node)
	if err != nil {
		return nil, nil, err
	}
	if state.Paused {
		return nil, nil, step.Failf("%s is paused: no process in it can do anything", node)
	}
	list, err = env.Processes.List(ctx, node)
	if err != nil {
		return nil, nil, err
	}
	found = m.Find(list)
	if len(found) == 0 {
		return nil, nil, step.Failf("no process in %s is %s", node, m).With("it has:\n"+describe(list), "compare with what it has")
	}
	slices.SortStableFunc(found, func(a, b process.Process) int { return cmp.Compare(a.Started, b.Started) })
	switch which {
	case first:
		found = found[:1]
	case random:
		at := env.Draw(len(found))
		found = found[at : at+1]
	}
	return found, list, nil
}

// mainOf is the process with which a node exits: its first one, or where that is
// an init, which is not listed, the oldest child of that.
func mainOf(list []process.Process) (main process.ID) {
	for _, p := range list {
		switch {
		case p.PID == process.Main:
			return p.ID
		case p.Parent == process.Main && (main.PID == 0 || older(p.ID, main) < 0):
			main = p.ID
		}
	}
	return main
}

// older compares processes by their start, and by their number of the same tick.
func older(a, b process.ID) int {
	return cmp.Or(cmp.Compare(a.Started, b.Started), cmp.Compare(a.PID, b.PID))
}

// described is how many processes a failure lists.
const described = 30

func describe(list []process.Process) string {
	var lines []string
	for _, p := range list[:min(len(list), described)] {
		title := p.Title()
		if len(title) > 100 {
			title = title[:100] + "…"
		}
		lines = append(lines, fmt.Sprintf("%6d  %-15s  %s", p.PID, p.Name, title))
	}
	if more := len(list) - described; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "\n")
}

func targets(list []process.Process) []Target {
	targets := make([]Target, len(list))
	for i, p := range list {
		targets[i] = Target{p.ID, p.Name}
	}
	return targets
}

func ids(targets []Target) []process.ID {
	ids := make([]process.ID, len(targets))
	for i, t := range targets {
		ids[i] = t.ID
	}
	return ids
}

func pids(targets []Target) []int {
	pids := make([]int, len(targets))
	for i, t := range targets {
		pids[i] = t.PID
	}
	return pids
}
