package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/scenario-run/scenario/engine/guardian"
	"github.com/scenario-run/scenario/engine/runtime"
)

// cleaning is what clean is asked for.
type cleaning struct {
	run    string // empty: what belongs to processes that are gone
	all    bool
	force  bool
	images bool
}

func newClean(w *world) *cobra.Command {
	var c cleaning
	cmd := &cobra.Command{
		Use:   "clean [RUN|--all] [--images]",
		Short: "Remove what runs left behind or kept",
		Long: `clean removes nodes, networks and volumes. Without arguments: what belongs to
runs whose process is gone, except what was kept with --keep. With a run's id:
all of that run, kept or not; of one that goes on only with --force. With
--all: all of every run, those that go on included. What runs recorded stays.

With --images it removes images as well that were made for runs: those that
scenarios build, and those of agents. What a container uses, what is less than
an hour old, and the newest of each name stay.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) > 1:
				return usage("scenario clean takes one run, %q is one too many", args[1])
			case c.all && len(args) > 0:
				return usage("--all and the run %s contradict each other", args[0])
			case c.force && len(args) == 0:
				return usage("--force is about one run: scenario clean RUN --force")
			case len(args) > 0:
				c.run = args[0]
			}
			return clean(w, c)
		},
	}
	cmd.Flags().BoolVar(&c.all, "all", false, "remove what belongs to any run")
	cmd.Flags().BoolVar(&c.force, "force", false, "remove the run even if it goes on")
	cmd.Flags().BoolVar(&c.images, "images", false, "remove images that were made for runs and that nothing uses")
	return cmd
}

func clean(w *world, c cleaning) error {
	ctx, stop := untilSignal(w)
	defer stop()
	rt, err := w.runtime()
	if err != nil {
		return unreachable(err)
	}
	defer rt.Close()
	found := false
	var alive *runtime.Owned
	pick := func(o runtime.Owned) bool {
		gone := guardian.Gone(o.Scope, w.now())
		hit := c.all || !o.Kept && gone
		if c.run != "" {
			hit = o.Run == c.run
		}
		found = found || hit
		if hit && c.run != "" && !gone && !c.force {
			alive = &o
			return false
		}
		return hit
	}
	swept, err := guardian.SweepOwned(ctx, rt, cleanLimit, pick)
	if alive != nil {
		return usage("run %s goes on (%s)", alive.Run, guardian.Process(alive.Owner)).
			with("End it, or remove what it has in spite of that: scenario clean " + alive.Run + " --force")
	}
	if err == nil && c.images {
		var dropped runtime.Swept
		dropped, err = rt.DropImages(ctx, w.now().Add(-youngImage))
		swept.Removed, swept.Left = append(swept.Removed, dropped.Removed...), append(swept.Left, dropped.Left...)
		found = found || len(dropped.Removed) > 0
	}
	return c.conclude(w, swept, found, err)
}

// cleanLimit is how long the removal of what one run has may take.
const cleanLimit = 5 * time.Minute

// youngImage is the age below which an image stays: a run that goes on may be
// about to use it.
const youngImage = time.Hour

func (c cleaning) conclude(w *world, swept runtime.Swept, found bool, err error) error {
	var told error // what has been done goes first, whether it can be told or not
	for _, r := range swept.Removed {
		_, e := fmt.Fprintf(w.stdout, "removed %s\n", r)
		told = cmp.Or(told, e)
	}
	for _, l := range swept.Left {
		fmt.Fprintf(w.stderr, "left behind: %s: %s\n  %s\n", l.What, l.Reason, l.Command)
	}
	switch {
	case err != nil:
		return unreachable(err)
	case len(swept.Left) > 0:
		return &exitError{code: exitLeftBehind}
	case !found && c.run != "":
		return &exitError{code: exitNothing, err: fmt.Errorf("there is nothing of a run %s", c.run)}
	case !found:
		_, told = fmt.Fprintln(w.stdout, "nothing to remove")
	}
	return told
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
