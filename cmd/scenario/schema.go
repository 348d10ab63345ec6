package main

import (
	"github.com/spf13/cobra"

	"github.com/scenario-run/scenario/dsl/reference"
)

func newSchema(w *world) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "schema --json",
		Short: "Print the whole language as data",
		Long: `schema prints every block, argument, type, function and code, for editors and
other programs. "schema_version" grows when something is taken away or comes to
mean something else. Its JSON Schema is docs/reference/language.schema.json.`,
		Args: none,
		RunE: func(*cobra.Command, []string) error {
			if !asJSON {
				return usage("scenario schema prints JSON only").with("Write it as scenario schema --json; for people there is scenario explain.")
			}
			return reference.New(w.registry().Vocabulary()).JSON(w.stdout)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return cmd
}
