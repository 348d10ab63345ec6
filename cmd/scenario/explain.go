package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

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
function, statistic or attribute, or the code of a diagnostic such as SCN0203.
Without a word it shows what there is; a plural, as in "explain faults", lists
one kind. A word that means several things shows all; "explain probe http"
shows one of them, and "explain kill.signal" what stands below a word. With
--from, the types that a scenario and its libraries define are among the words.`,
		Example: `  scenario explain kill
  scenario explain kill.signal
  scenario explain probe http
  scenario explain SCN0203
  scenario explain functions`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			if asJSON {
				return explainJSON(w, from, args)
			}
			l, err := w.language(from)
			if err != nil {
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
		return reference.New(registry.Vocabulary()), nil
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
	return reference.New(registry.Vocabulary().With(defined...)), nil
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
	if s := l.Suggest(word); s != "" {
		return e.with(fmt.Sprintf("Did you mean %q?", s))
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
