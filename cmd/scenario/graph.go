package main

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/engine/plan"
)

func newGraph(w *world) *cobra.Command {
	var s selection
	format := oneOf("text", "json", "dot", "mermaid")
	cmd := &cobra.Command{
		Use:   "graph [PATH|GLOB|FILE:LINE|-]...",
		Short: "Print the graph that a run would carry out",
		Long: `graph prints what waits for what in a scenario, and why: as text, as data, or
for Graphviz (--format dot | dot -Tsvg) or Mermaid. It touches no Docker.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			s.seeded = cmd.Flags().Changed("seed")
			l, err := load(w, w.registry(), &s, args, lang.Options{})
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
	case "json":
		err = graphsAsJSON(out, plans)
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

func graphsAsJSON(out io.Writer, plans []*plan.Plan) error {
	all := []json.RawMessage{}
	for _, p := range plans {
		data, err := p.GraphJSON()
		if err != nil {
			return err
		}
		all = append(all, data)
	}
	return writeJSON(out, all)
}

// joined writes each plan, with an empty line between two.
func joined(plans []*plan.Plan, text func(*plan.Plan) string) string {
	var all []string
	for _, p := range plans {
		all = append(all, text(p))
	}
	return strings.Join(all, "\n")
}
