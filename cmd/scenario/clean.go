package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/scenario-run/scenario/engine/guardian"
	"github.com/scenario-run/scenario/engine/runtime"
)

func newClean(w *world) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "clean [RUN|--all]",
		Short: "Remove what runs left behind or kept",
		Long: `clean removes nodes, networks and volumes. Without arguments: what belongs to
runs whose process is gone, except what was kept with --keep. With a run's id:
all of that run, kept or not. With --all: all of every run, those that go on
included. What runs recorded stays.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("scenario clean takes one run, %q is one too many", args[1])
			}
			if all && len(args) > 0 {
				return usage("--all and the run %s contradict each other", args[0])
			}
			return clean(w, args, all)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "remove what belongs to any run")
	return cmd
}

func clean(w *world, args []string, all bool) error {
	ctx, stop := untilSignal(w)
	defer stop()
	rt, err := w.runtime()
	if err != nil {
		return unreachable(err)
	}
	defer rt.Close()
	found := false
	pick := func(o runtime.Owned) bool {
		hit := all || !o.Kept && guardian.Gone(o.Scope, w.now())
		if len(args) > 0 {
			hit = o.Run == args[0]
		}
		found = found || hit
		return hit
	}
	swept, err := guardian.SweepOwned(ctx, rt, pick)
	for _, r := range swept.Removed {
		fmt.Fprintf(w.stdout, "removed %s\n", r)
	}
	for _, l := range swept.Left {
		fmt.Fprintf(w.stderr, "left behind: %s: %s\n  %s\n", l.What, l.Reason, l.Command)
	}
	switch {
	case err != nil:
		return unreachable(err)
	case len(swept.Left) > 0:
		return &exitError{code: exitLeftBehind}
	case !found && len(args) > 0:
		return &exitError{code: exitNothing, err: fmt.Errorf("there is nothing of a run %s", args[0])}
	case !found:
		fmt.Fprintln(w.stdout, "nothing to remove")
	}
	return nil
}

// unreachable is a runtime that failed.
func unreachable(err error) *exitError {
	e := &exitError{code: exitLab, err: err}
	var r *runtime.Error
	if errors.As(err, &r) {
		e.hint = r.Hint
	}
	return e
}

// untilSignal returns a context that ends with the first signal.
func untilSignal(w *world) (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals, stop := w.signals()
	go func() {
		select {
		case <-signals:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(); stop() }
}
