package main

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/scenario-run/scenario/dsl/lang"
)

// runFlags are the flags of run.
type runFlags struct {
	selection
	reports
	keep     *choice
	progress *choice
	timeout  time.Duration
	parallel int
	failFast bool
	out      string
	json     string
	dryRun   bool
	quiet    bool
}

func newRun(w *world) *cobra.Command {
	f := &runFlags{
		keep:     oneOf("never", "failed", "always"),
		progress: oneOf("auto", "tty", "plain", "json", "quiet"),
	}
	cmd := &cobra.Command{
		Use:   "run [PATH|GLOB|FILE:LINE|-]...",
		Short: "Run scenarios",
		Long: `run carries out scenarios on Docker and shows a timeline. A directory stands
for the scenarios below it; without arguments, ./scenarios, or else the working
directory.

Exit codes: 0 passed, 1 failed, 2 usage, 3 invalid scenario, 4 the lab broke,
5 nothing selected, 6 inconclusive, 7 passed but something could not be
removed, 8 time limit of the run, 70 internal error, 130 and 143 interrupted.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.seeded = cmd.Flags().Changed("seed")
			if err := f.check(cmd); err != nil {
				return err
			}
			if f.dryRun {
				l, err := load(w, w.registry(), &f.selection, args, lang.Options{})
				if err != nil {
					return err
				}
				return l.printPlans(w, &f.selection, false)
			}
			return (&runner{w: w, f: f}).run(args)
		},
	}
	f.selection.addFlags(cmd)
	fl := cmd.Flags()
	fl.Var(f.keep, "keep", "when nodes outlive the run")
	fl.Var(f.progress, "progress", "how the run is shown")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "show failures only: --progress quiet")
	fl.DurationVar(&f.timeout, "timeout", 0, "time limit of the whole run, a `DURATION` such as 10m")
	fl.IntVarP(&f.parallel, "parallel", "p", 1, "run up to `N` variants side by side")
	fl.BoolVarP(&f.failFast, "fail-fast", "x", false, "start no further variant once one has not passed")
	fl.StringVar(&f.out, "out", "", "the run's own directory `DIR`, new or empty")
	fl.StringVar(&f.json, "json", "", "write a summary to `FILE`; - is standard output")
	f.reports.addFlags(fl)
	fl.BoolVar(&f.dryRun, "dry-run", false, "print the plan and touch nothing")
	return cmd
}

// check refuses flags that contradict each other.
func (f *runFlags) check(cmd *cobra.Command) error {
	if f.quiet && cmd.Flags().Changed("progress") && f.progress.value != "quiet" {
		return usage("--quiet and --progress %s contradict each other", f.progress.value)
	}
	if f.quiet {
		f.progress.value = "quiet"
	}
	if f.progress.value == "json" && f.json == "-" {
		return usage("--progress json and --json - both want standard output")
	}
	if cmd.Flags().Changed("timeout") && f.timeout <= 0 {
		return usage("--timeout %s: a time limit is more than nothing", f.timeout)
	}
	if f.parallel < 1 {
		return usage("--parallel %d: at least one variant runs at a time", f.parallel)
	}
	if err := errors.Join(canBeIn("--json", f.json), f.reports.check()); err != nil {
		return err
	}
	if !f.dryRun {
		return nil
	}
	for _, name := range []string{"keep", "progress", "quiet", "timeout", "parallel", "fail-fast", "out", "json", "junit", "junit-level", "annotate"} {
		if cmd.Flags().Changed(name) {
			return usage("--dry-run runs nothing, so --%s has no meaning", name)
		}
	}
	return nil
}
