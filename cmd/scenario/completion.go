package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/reference"
)

func newCompletion(w *world) *cobra.Command {
	shells := map[string]func(*cobra.Command) error{
		"bash":       w.bashCompletion,
		"zsh":        func(root *cobra.Command) error { return root.GenZshCompletion(w.stdout) },
		"fish":       func(root *cobra.Command) error { return root.GenFishCompletion(w.stdout, true) },
		"powershell": func(root *cobra.Command) error { return root.GenPowerShellCompletionWithDesc(w.stdout) },
	}
	names := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print a script that completes commands in a shell",
		Long: `completion prints a script for a shell, which then completes commands, flags and
their values, files, variables, variants, words to explain and runs to clean.`,
		Example: `  source <(scenario completion bash)
  scenario completion zsh > "${fpath[1]}/_scenario"
  scenario completion fish > ~/.config/fish/completions/scenario.fish
  scenario completion powershell | Out-String | Invoke-Expression`,
		ValidArgs: names,
		Args:      cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("scenario completion takes the name of a shell").with("It is one of " + strings.Join(names, ", ") + ".")
			}
			script, ok := shells[args[0]]
			if !ok {
				return usage("there is no completion for %q", args[0]).with("There is for " + amongst(args[0], names))
			}
			return script(cmd.Root())
		},
	}
}

// bashNeeds comes before what cobra makes for bash, which calls functions of
// bash-completion. Without them each press of the key would print an error.
const bashNeeds = `if ! declare -F _get_comp_words_by_ref >/dev/null; then
    for __scenario_file in /usr/share/bash-completion/bash_completion /etc/bash_completion \
        /opt/homebrew/etc/profile.d/bash_completion.sh /usr/local/etc/profile.d/bash_completion.sh; do
        if [[ -r $__scenario_file ]]; then
            source "$__scenario_file"
            break
        fi
    done
    unset __scenario_file
    if ! declare -F _get_comp_words_by_ref >/dev/null; then
        echo 'scenario: completion in bash needs the package bash-completion; install it and open a new shell' >&2
        return 1 2>/dev/null || exit 1
    fi
fi
`

func (w *world) bashCompletion(root *cobra.Command) error {
	if _, err := io.WriteString(w.stdout, bashNeeds); err != nil {
		return err
	}
	return root.GenBashCompletionV2(w.stdout, true)
}

// addCompletions says how the arguments and flags of all commands are
// completed. It goes by what they are called, so that a new command has it too.
func addCompletions(w *world, root *cobra.Command) {
	for _, c := range root.Commands() {
		switch {
		case strings.Contains(c.Use, "PATH"):
			c.ValidArgsFunction = files("hcl")
		case c.Name() == "explain":
			c.ValidArgsFunction = w.completeWords
		case c.Name() == "clean":
			c.ValidArgsFunction = w.completeRuns
		case len(c.ValidArgs) == 0:
			c.ValidArgsFunction = cobra.NoFileCompletions
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if w.completes() {
				f.Usage = reference.Plain(f.Usage) // shown as it is; nothing else of it is used then
			}
			if complete := w.flagCompletion(f); complete != nil {
				if err := c.RegisterFlagCompletionFunc(f.Name, complete); err != nil {
					panic(err) // the flag is there, and this is its only function
				}
			}
		})
	}
}

// completes says that a shell asks what could be written next.
func (w *world) completes() bool {
	return len(w.args) > 0 && (w.args[0] == cobra.ShellCompRequestCmd || w.args[0] == cobra.ShellCompNoDescRequestCmd)
}

// flagCompletion completes the value of a flag; nil leaves it to the shell,
// which completes files.
func (w *world) flagCompletion(f *pflag.Flag) cobra.CompletionFunc {
	if c, ok := f.Value.(*choice); ok {
		return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			return beginning(typed, c.allowed), cobra.ShellCompDirectiveNoFileComp
		}
	}
	switch f.Name {
	case "var":
		return w.completeVariables
	case "variant":
		return w.completeVariants
	case "tags":
		return w.completeTags
	case "name":
		return w.completeNames
	case "var-file", "from":
		return files("hcl")
	case "out":
		return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
	}
	if slices.Contains([]string{"int", "int64", "duration"}, f.Value.Type()) {
		return cobra.NoFileCompletions
	}
	return nil
}

func files(extension string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{extension}, cobra.ShellCompDirectiveFilterFileExt
	}
}

// named loads the files that a command line names so far; nil if there are
// none. What is wrong with them is for the command to say.
func (w *world) named(paths []string) *loaded {
	l, err := load(w, w.registry(), &selection{}, paths, lang.Options{})
	if err != nil {
		return nil
	}
	return l
}

// completeVariables completes NAME= of --var.
func (w *world) completeVariables(_ *cobra.Command, paths []string, typed string) ([]string, cobra.ShellCompDirective) {
	l := w.named(paths)
	if l == nil || strings.Contains(typed, "=") {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var all []string
	for name := range l.declared() {
		all = append(all, name+"=")
	}
	return matching(all, typed), cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}

// completeVariants completes AXIS=VALUE of --variant.
func (w *world) completeVariants(_ *cobra.Command, paths []string, typed string) ([]string, cobra.ShellCompDirective) {
	var all []string
	for _, s := range w.scenarios(paths) {
		for _, key := range s.VariantKeys {
			all = append(all, strings.Split(key, ",")...)
		}
	}
	return matching(all, typed), cobra.ShellCompDirectiveNoFileComp
}

func (w *world) completeTags(_ *cobra.Command, paths []string, typed string) ([]string, cobra.ShellCompDirective) {
	var all []string
	for _, s := range w.scenarios(paths) {
		all = append(all, s.Tags...)
	}
	return matching(all, typed), cobra.ShellCompDirectiveNoFileComp
}

func (w *world) completeNames(_ *cobra.Command, paths []string, typed string) ([]string, cobra.ShellCompDirective) {
	var all []string
	for _, s := range w.scenarios(paths) {
		all = append(all, s.Name)
	}
	return matching(all, typed), cobra.ShellCompDirectiveNoFileComp
}

func (w *world) scenarios(paths []string) []*lang.Scenario {
	l := w.named(paths)
	if l == nil {
		return nil
	}
	var all []*lang.Scenario
	for _, f := range l.files {
		if f.scenario != nil {
			all = append(all, f.scenario)
		}
	}
	return all
}

// completeWords completes what explain takes, each with what it is: a word, or
// after a kind the words of that kind.
func (w *world) completeWords(cmd *cobra.Command, before []string, typed string) ([]string, cobra.ShellCompDirective) {
	from, err := cmd.Flags().GetString("from")
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	l, err := w.language(from)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return matching(wordsAfter(l, before, typed), typed), cobra.ShellCompDirectiveNoFileComp
}

// wordsAfter are the words that can follow others, with what each is.
func wordsAfter(l *reference.Language, before []string, typed string) []string {
	var all []string
	if dot := strings.LastIndexByte(typed, '.'); dot >= 0 && len(before) == 0 {
		for _, t := range l.Below(typed[:dot]) {
			all = append(all, typed[:dot+1]+lastName(t)+described(t))
		}
		return all
	}
	if len(before) == 0 {
		for _, k := range reference.Kinds() {
			all = append(all, fmt.Sprintf("%s\tall %s", k.Plural(), k.Plural()))
		}
	}
	kind, narrowed := reference.KindOf(before...)
	if len(before) > 0 && !narrowed {
		for _, t := range l.Below(before...) {
			all = append(all, lastName(t)+described(t))
		}
		return all
	}
	for _, t := range l.Topics() {
		if len(before) == 0 || t.Kind == kind || kind == reference.ActionTopic && t.Kind == reference.FaultTopic {
			all = append(all, t.Name+described(t))
		}
	}
	return all
}

// lastName is the name of what stands below another topic.
func lastName(t reference.Topic) string { return t.Name[strings.LastIndexByte(t.Name, '.')+1:] }

// described is a topic's description, behind what separates it from the word.
func described(t reference.Topic) string {
	return fmt.Sprintf("\t%s: %s", t.Kind, reference.Plain(t.Summary))
}

// completionPatience is how long a key may wait for a daemon.
const completionPatience = time.Second

// completeRuns completes the runs that have left or kept something.
func (w *world) completeRuns(_ *cobra.Command, before []string, typed string) ([]string, cobra.ShellCompDirective) {
	const done = cobra.ShellCompDirectiveNoFileComp
	rt, err := w.runtime()
	if err != nil || len(before) > 0 {
		return nil, done
	}
	defer rt.Close()
	ctx, cancel := context.WithTimeout(context.Background(), completionPatience)
	defer cancel()
	owned, err := rt.Owners(ctx)
	if err != nil {
		return nil, done
	}
	var all []string
	for _, o := range owned {
		all = append(all, o.Run)
	}
	return matching(all, typed), done
}

// matching are those that begin with what has been typed, sorted, each once.
func matching(all []string, typed string) []string {
	all = beginning(typed, all)
	slices.Sort(all)
	return slices.Compact(all)
}

func beginning(typed string, all []string) []string {
	var hits []string
	for _, s := range all {
		if s != "" && strings.HasPrefix(s, typed) {
			hits = append(hits, s)
		}
	}
	return hits
}
