package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/scenario-run/scenario/dsl/diag"
)

// run carries out the command that the world's arguments name and returns the
// exit code.
func run(w *world) (code int) {
	defer func() {
		if v := recover(); v != nil {
			code = recovered(w, v)
		}
	}()
	root := newRoot(w)
	root.SetArgs(w.args)
	root.SetIn(w.stdin)
	root.SetOut(w.stdout)
	root.SetErr(w.stderr)
	return exit(w, root.Execute())
}

func newRoot(w *world) *cobra.Command {
	root := &cobra.Command{
		Use:   "scenario",
		Short: "Run failure scenarios for distributed systems on real containers",
		Long: `scenario runs failure scenarios for distributed systems on real containers.

A file declares nodes, faults, traffic and what must hold. scenario plans it,
carries it out on Docker, and shows a timeline that explains itself.`,
		Args:              noCommand,
		PersistentPreRunE: checkTexts,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{
			DisableDefaultCmd: true, // ours refuses what isn't a shell as a mistake in the command
		},
	}
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(
		newRun(w), newPlan(w), newGraph(w), newValidate(w), newFmt(w), newList(w), newNew(w), newClean(w), newDoctor(w), newVersion(w),
		newExplain(w), newCompletion(w), newSchema(w),
		newAgent(w), newGuardian(w),
	)
	addCompletions(w, root)
	return root
}

// noCommand explains arguments that name no command.
func noCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if strings.HasSuffix(args[0], ".hcl") {
		return usage("%q is not a command", args[0]).with("To run the file: scenario run " + shellQuote(args[0]))
	}
	e := usage("there is no command %q", args[0])
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	if s := diag.Suggest(args[0], names); s != "" {
		return e.with(fmt.Sprintf("Did you mean %q?", s))
	}
	return e.with(`"scenario --help" lists the commands.`)
}
