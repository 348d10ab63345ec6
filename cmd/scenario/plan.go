package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/scenario-run/scenario/dsl/lang"
)

func newPlan(w *world) *cobra.Command {
	var s selection
	var asJSON, verbose bool
	cmd := &cobra.Command{
		Use:   "plan [PATH|GLOB|FILE:LINE|-]...",
		Short: "Print what a run would do, in order and with causes",
		Long: `plan prints the ordered steps of scenarios, each with what it waits for and
why. It touches no Docker.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			s.seeded = cmd.Flags().Changed("seed")
			if asJSON && verbose {
				return usage("--verbose and --json contradict each other: data has no variables")
			}
			l, err := load(w, w.registry(), &s, args, lang.Options{})
			if asJSON {
				return answer(w, l, err, planned.JSON)
			}
			if err != nil {
				return err
			}
			return l.printPlans(w, &s, verbose)
		},
	}
	s.addFlags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the plans as a JSON array")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "print the variables and where their values come from")
	return cmd
}

func (l *loaded) printPlans(w *world, s *selection, verbose bool) error {
	if err := l.print(w, s.color.value, everything); err != nil {
		return err
	}
	width, _, _ := w.terminal(w.stdout)
	if err := l.plansAsText(w.stdout, width, verbose); err != nil {
		return err
	}
	return l.verdict()
}

func (l *loaded) plansAsText(out io.Writer, width int, verbose bool) error {
	blank := ""
	for _, f := range l.files {
		if f.invalid() {
			continue
		}
		var b strings.Builder
		if verbose {
			b.WriteString(blank + f.source() + "\n")
			for _, x := range f.scenario.Variables {
				fmt.Fprintf(&b, "  var.%s = %s  (%s)\n", x.Name, valueText(x), x.From)
			}
			blank = "\n"
		}
		for _, v := range f.variants {
			b.WriteString(blank + v.Text(width))
			blank = "\n"
		}
		if _, err := io.WriteString(out, b.String()); err != nil {
			return err
		}
	}
	return nil
}

// title is a variant's name: liveness[storage=redis].
func (p planned) title() string { return titleOf(p.Variant.Scenario.Name, p.key) }

func titleOf(scenario, variant string) string {
	if variant == "" {
		return scenario
	}
	return scenario + "[" + variant + "]"
}

// valueText is a variable's value as a file would say it.
func valueText(v lang.Variable) string {
	if v.Sensitive {
		return hidden
	}
	return hclText(v.Value)
}
