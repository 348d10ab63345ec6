package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/engine/plan"
)

func newGraph(w *world) *cobra.Command {
	var s selection
	var asJSON bool
	format := oneOf("text", "json", "dot", "mermaid")
	cmd := &cobra.Command{
		Use:   "graph [PATH|GLOB|FILE:LINE|-]...",
		Short: "Print the graph that a run would carry out",
		Long: `graph prints what waits for what in a scenario, and why: as text, as data, or
for Graphviz (--format dot | dot -Tsvg) or Mermaid. It touches no Docker.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			s.seeded = cmd.Flags().Changed("seed")
			if asJSON && cmd.Flags().Changed("format") && format.value != "json" {
				return usage("--json and --format %s contradict each other", format.value)
			}
			l, err := load(w, w.registry(), &s, args, lang.Options{})
			if asJSON || format.value == "json" {
				return answer(w, l, err, planned.GraphJSON)
			}
			if err != nil {
				return err
			}
			if err := l.print(w, s.color.value, everything); err != nil {
				return err
			}
			if err := printGraphs(w.stdout, l.plans(), format.value); err != nil {
				return err
			}
			return l.verdict()
		},
	}
	s.addFlags(cmd)
	cmd.Flags().Var(format, "format", "how the graph is printed")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the graphs as a JSON array: --format json")
	return cmd
}

// plans are those of all files that are valid.
func (l *loaded) plans() []*plan.Plan {
	var all []*plan.Plan
	for _, f := range l.files {
		for _, v := range f.variants {
			all = append(all, v.Plan)
		}
	}
	return all
}

func printGraphs(out io.Writer, plans []*plan.Plan, format string) error {
	var err error
	switch format {
	case "mermaid":
		if len(plans) > 0 {
			_, err = io.WriteString(out, plan.Mermaid(plans...))
		}
	case "dot":
		_, err = io.WriteString(out, joined(plans, (*plan.Plan).DOT))
	default:
		_, err = io.WriteString(out, joined(plans, (*plan.Plan).GraphText))
	}
	return err
}

// joined writes each plan, with an empty line between two.
func joined(plans []*plan.Plan, text func(*plan.Plan) string) string {
	var all []string
	for _, p := range plans {
		all = append(all, text(p))
	}
	return strings.Join(all, "\n")
}
