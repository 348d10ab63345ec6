package main

import (
	"cmp"
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
	help := &watched{to: w.stdout}
	root.SetOut(help)
	root.SetErr(w.stderr)
	err := root.Execute()
	return exit(w, cmp.Or(commandAnswered(w, root, err), help.err))
}

func newRoot(w *world) *cobra.Command {
	root := &cobra.Command{
		Use:   "scenario",
		Short: "Run failure scenarios for distributed systems on real containers",
		Long: `scenario runs failure scenarios for distributed systems on real containers.

A file declares nodes, faults, traffic and what must hold. scenario plans it,
carries it out on Docker, and shows a timeline that explains itself.`,
		Args:              noCommand,
		Version:           thisProgram().Version,
		PersistentPreRunE: checkTexts,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{
			DisableDefaultCmd: true, // ours refuses what isn't a shell as a mistake in the command
		},
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if !cmd.HasParent() && len(w.args) > 0 && !strings.HasPrefix(w.args[0], "-") {
			return noCommand(cmd, w.args) // the flag is that of the command that was meant
		}
		return flagError(cmd, err)
	})
	root.SetVersionTemplate("scenario {{.Version}}\n") // scenario version says more
	root.SetHelpCommand(newHelp())
	root.AddCommand(
		newRun(w), newPlan(w), newGraph(w), newValidate(w), newFmt(w), newList(w), newNew(w), newClean(w), newDoctor(w), newVersion(w),
		newExplain(w), newCompletion(w), newSchema(w),
		newAgent(w), newGuardian(w),
	)
	addCompletions(w, root)
	return root
}

// newHelp is cobra's command, which shows the general help for a word that is no
// command.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Say how a command is used",
		Args:  cobra.ArbitraryArgs,
		ValidArgsFunction: func(cmd *cobra.Command, before []string, typed string) ([]string, cobra.ShellCompDirective) {
			var all []string
			for _, c := range cmd.Root().Commands() {
				if c.IsAvailableCommand() && len(before) == 0 {
					all = append(all, c.Name()+"\t"+c.Short)
				}
			}
			return matching(all, typed), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			switch {
			case err != nil, len(rest) > 0 && !about.HasParent():
				return noCommand(cmd.Root(), args)
			case len(rest) > 0:
				return usage("scenario help takes one command, %q is one too many", rest[0])
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
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
