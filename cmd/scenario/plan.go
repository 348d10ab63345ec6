package main

import (
	"encoding/json"
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
			l, err := load(w, w.registry(), &s, args, lang.Options{})
			if err != nil {
				return err
			}
			return l.printPlans(w, &s, asJSON, verbose)
		},
	}
	s.addFlags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the plans as a JSON array")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "print the variables and where their values come from")
	return cmd
}

func (l *loaded) printPlans(w *world, s *selection, asJSON, verbose bool) error {
	if err := l.print(w, s.color.value, everything); err != nil {
		return err
	}
	var err error
	if asJSON {
		err = l.plansAsJSON(w.stdout)
	} else {
		width, _, _ := w.terminal(w.stdout)
		err = l.plansAsText(w.stdout, width, verbose)
	}
	if err != nil {
		return err
	}
	return l.verdict()
}

func (l *loaded) plansAsJSON(out io.Writer) error {
	all := []json.RawMessage{}
	for _, f := range l.files {
		for _, v := range f.variants {
			data, err := v.JSON()
			if err != nil {
				return fmt.Errorf("plan of %s: %w", v.title(), err)
			}
			all = append(all, data)
		}
	}
	return writeJSON(out, all)
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
