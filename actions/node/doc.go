// Package node is the vocabulary of nodes as wholes: starting, restarting,
// killing, stopping, pausing, limiting and disconnecting them, filling their volumes, and asking how they stand.
//
// A fault here counts as active when its effect was seen, never because a call
// returned. The package must not know what runs in a node.
package node

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// Definitions are the types of this vocabulary.
func Definitions() []step.Definition {
	return []step.Definition{start(), restart(), recreate(), kill(), stop(), pause(), limitCPU(), limitMemory(), fillDisk(), disconnect(), connect(), state()}
}

// distinct are the nodes of an argument, each once. None at all is a failure:
// what hits nothing proves nothing.
func distinct(nodes []step.Node, verb string) ([]step.Node, error) {
	var list []step.Node
	for _, n := range nodes {
		if !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	if len(list) == 0 {
		return nil, step.Failf("nodes is empty: there is nothing to %s", verb)
	}
	return list, nil
}

// each does something to nodes side by side.
func each(ctx context.Context, nodes []step.Node, do func(ctx context.Context, i int, address string) error) error {
	g, ctx := errgroup.WithContext(ctx)
	for i, n := range nodes {
		g.Go(func() error { return do(ctx, i, string(n)) })
	}
	return g.Wait()
}

func addresses(nodes []step.Node) []string {
	list := make([]string, len(nodes))
	for i, n := range nodes {
		list[i] = string(n)
	}
	return list
}

// names are nodes for people: "head, worker[0]".
func names(nodes []step.Node) string {
	list := make([]string, len(nodes))
	for i, n := range nodes {
		list[i] = name(n)
	}
	return strings.Join(list, ", ")
}

func name(n step.Node) string { return strings.TrimPrefix(string(n), "node.") }

// mustBeUp is mustRun for what can be done to paused nodes too.
func mustBeUp(ctx context.Context, env *step.Env, nodes []step.Node, verb string) error {
	for _, n := range nodes {
		s, err := env.Nodes.State(ctx, string(n))
		if err != nil {
			return err
		}
		if !s.Running {
			return step.Failf("%s %s: it %s", verb, n, standing(s))
		}
	}
	return nil
}

// mustRun is a failure for the first node that does not run, or is paused: it
// can't be killed, stopped or paused.
func mustRun(ctx context.Context, env *step.Env, nodes []step.Node, verb string) error {
	for _, n := range nodes {
		s, err := env.Nodes.State(ctx, string(n))
		if err != nil {
			return err
		}
		if why := standing(s); why != "" {
			return step.Failf("%s %s: it %s", verb, n, why)
		}
	}
	return nil
}

// standing says why a node does not run; empty if it does.
func standing(s runtime.NodeState) string {
	switch {
	case !s.Started:
		return "has not been started"
	case !s.Running:
		return fmt.Sprintf("is down already (exit code %d)", s.ExitCode)
	case s.Paused:
		return "is paused"
	default:
		return ""
	}
}
