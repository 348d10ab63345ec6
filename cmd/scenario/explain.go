package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/reference"
	"github.com/scenario-run/scenario/dsl/schema"
)

func newExplain(w *world) *cobra.Command {
	color := oneOf("auto", "always", "never")
	var asJSON bool
	var from string
	cmd := &cobra.Command{
		Use:   "explain [[KIND] WORD[.WORD]...]",
		Short: "Say what a word of a scenario file means",
		Long: `explain looks up an action, fault, probe, workload, node kind, block, argument,
function, statistic or attribute, a value such as SIGKILL or 10mbit, the code of
a diagnostic such as SCN0203, or an exit code. Without a word it shows what there
is; a plural, as in "explain faults", lists one kind. A word that means several things shows all; "explain probe http"
shows one of them, and "explain kill.signal" what stands below a word. With
--from, the types that a scenario and its libraries define are among the words.`,
		Example: `  scenario explain kill
  scenario explain kill.signal
  scenario explain probe http
  scenario explain SCN0203
  scenario explain exit 4
  scenario explain functions`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if asJSON {
				return explainJSON(w, from, args)
			}
			l, err := w.language(from)
			if err != nil {
				return err
			}
			if err := ofTheProgram(cmd.Root(), l, args); err != nil {
				return err
			}
			width, _, _ := w.terminal(w.stdout)
			return explain(w.stdout, l, args, reference.Style{Color: w.colored(color.value, w.stdout), Width: width})
		},
	}
	cmd.Flags().Var(color, "color", "colour output")
	cmd.Flags().StringVar(&from, "from", "", "know the types that the scenario in `FILE` defines")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return cmd
}

// language is the language with the types that a scenario defines, if one is
// named. What else is wrong with the file is no matter here.
func (w *world) language(from string) (*reference.Language, error) {
	registry := w.registry()
	if from == "" {
		return reference.New(registry.Vocabulary()).With(exitTopics()...), nil
	}
	l, err := load(w, registry, &selection{}, []string{from}, lang.Options{})
	if err != nil {
		return nil, err
	}
	var defined []schema.Type
	for _, f := range l.files {
		if f.scenario == nil {
			return nil, &exitError{code: exitInvalid, err: &problemsError{texts: l.texts, diags: withoutNotes(l.diags())}}
		}
		defined = append(defined, f.scenario.Types...)
	}
	return reference.New(registry.Vocabulary().With(defined...)).With(exitTopics()...), nil
}

// exitTopics describe what the program's exit codes mean.
func exitTopics() []reference.Topic {
	var all []reference.Topic
	for _, m := range exitCodes() {
		all = append(all, reference.Topic{Kind: reference.ExitTopic, Name: strconv.Itoa(m.code), Doc: m.text})
	}
	return all
}

// ofTheProgram says of a word that means nothing in a file that it is a command or
// a flag.
func ofTheProgram(root *cobra.Command, l *reference.Language, words []string) error {
	if len(words) != 1 || len(l.Find(words[0])) > 0 {
		return nil
	}
	if _, plural := reference.KindOf(words[0]); plural {
		return nil
	}
	e := usage("nothing in a scenario file is called %q", words[0])
	if flag := strings.TrimLeft(words[0], "-"); flag != words[0] {
		if commands := commandsWith(root, flag); len(commands) > 0 {
			return e.with("It is a flag of " + strings.Join(commands, ", ") + ".")
		}
	}
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() && c.Name() == words[0] {
			return e.with(fmt.Sprintf("It is a command: scenario %s --help", c.Name()))
		}
	}
	return nil
}

func explain(out io.Writer, l *reference.Language, words []string, style reference.Style) error {
	if len(words) == 0 {
		return l.Overview(out, style)
	}
	found, kind, err := lookUp(l, words)
	if err != nil {
		return err
	}
	if kind != "" {
		return reference.Contents(out, kind, found, style)
	}
	if err := reference.Text(out, found, style); err != nil || len(found) == 1 {
		return err
	}
	var ways []string
	for _, t := range found {
		if strings.Contains(t.Name, ".") {
			return nil // the words above have said which
		}
		ways = append(ways, fmt.Sprintf("explain %s %s", t.Kind, t.Name))
	}
	_, err = fmt.Fprintf(out, "\nOne of them alone: scenario %s\n", strings.Join(ways, ", "))
	return err
}

// explainJSON prints topics as data: of a word that means nothing, none.
func explainJSON(w *world, from string, words []string) error {
	l, err := w.language(from)
	if err != nil {
		return answered(w, err)
	}
	found := l.Topics()
	if len(words) > 0 {
		if found, _, err = lookUp(l, words); err != nil {
			return told(err, writeJSON(w.stdout, []any{}))
		}
	}
	return writeJSON(w.stdout, found)
}

// lookUp returns what words mean: topics, or, with the kind, all topics of it.
func lookUp(l *reference.Language, words []string) ([]reference.Topic, reference.Kind, error) {
	if found := l.Find(words...); len(found) > 0 {
		return found, "", nil
	}
	if kind, ok := reference.KindOf(words...); ok {
		return l.List(kind), kind, nil
	}
	if found := l.Group(strings.Join(words, " ")); len(found) > 0 {
		return found, reference.FunctionTopic, nil
	}
	switch {
	case words[0] == "exit" && len(words) == 1:
		return l.List(reference.ExitTopic), reference.ExitTopic, nil
	case words[0] == "exit" && len(words) == 2:
		return lookUp(l, []string{string(reference.ExitTopic), words[1]})
	}
	word := words[len(words)-1]
	if len(words) == 1 {
		return nil, "", unknownWord(l, word)
	}
	first := strings.Join(words[:len(words)-1], " ")
	kind, ok := reference.KindOf(first)
	if !ok && len(l.Find(words[:len(words)-1]...)) > 0 {
		return nil, "", unknownWord(l, strings.Join(words, "."))
	}
	if !ok {
		return nil, "", usage("scenario explain takes a word, or a kind and a word; %q is no kind", first).with("Kinds: " + kindList() + ".")
	}
	if others := l.Find(word); len(others) > 0 {
		return nil, "", usage("there is no %s named %q", kind, word).with(fmt.Sprintf("There is a %s of that name: scenario explain %s %s", others[0].Kind, others[0].Kind, word))
	}
	return nil, "", unknownWord(l, word)
}

func unknownWord(l *reference.Language, word string) error {
	e := usage("nothing in a scenario file is called %q", word)
	spoken := l.Mentions(word)
	s := l.Suggest(word)
	if s != "" && (len(spoken) == 0 || s != diag.Suggest(word, l.Words())) {
		return e.with(fmt.Sprintf("Did you mean %q?", s)) // another tool calls it so, or it is misspelt
	}
	if len(spoken) > 0 {
		return e.with(fmt.Sprintf("It is spoken of in what %q says of %s.", "scenario explain", few(spoken)))
	}
	if owner := l.Owner(word); owner != "" {
		return e.with(fmt.Sprintf(`"scenario explain %s" lists what it has.`, owner))
	}
	return e.with(`"scenario explain" lists the words.`)
}

func kindList() string {
	var all []string
	for _, k := range reference.Kinds() {
		all = append(all, string(k))
	}
	return strings.Join(all, ", ")
}

// mostSpoken are named of the topics that speak of a word.
const mostSpoken = 5

func few(names []string) string {
	if n := len(names) - mostSpoken; n > 1 {
		return strings.Join(names[:mostSpoken], ", ") + " and " + strconv.Itoa(n) + " more"
	}
	return strings.Join(names, ", ")
}
