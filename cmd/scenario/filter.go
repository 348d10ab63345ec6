package main

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/spf13/pflag"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/scenario-run/scenario/dsl/source"
)

// filter says which of the scenarios found a command is about.
type filter struct {
	name *regexp.Regexp
	tags []tagExpr
	text []string // as it was given, for messages
}

// tagExpr is an expression in which a tag stands for whether a scenario has it.
type tagExpr struct{ expr hclsyntax.Expression }

// newFilter reads the values of --name and --tags.
func newFilter(name string, tags []string) (*filter, error) {
	f := &filter{}
	if name != "" {
		re, err := regexp.Compile(name)
		if err != nil {
			return nil, usage("--name %s: it isn't a regular expression: %s", shellQuote(name), regexpFault(err))
		}
		f.name = re
		f.text = append(f.text, "--name "+shellQuote(name))
	}
	for _, t := range tags {
		e, err := parseTags(t)
		if err != nil {
			return nil, err
		}
		f.tags = append(f.tags, e)
		f.text = append(f.text, "--tags "+shellQuote(t))
	}
	return f, nil
}

// regexpFault is what is wrong with a regular expression, without what package
// regexp says before it.
func regexpFault(err error) string {
	var fault *syntax.Error
	if errors.As(err, &fault) {
		return fmt.Sprintf("%s: %s", fault.Code, fault.Expr)
	}
	return err.Error()
}

const tagHint = `Write it with &&, ||, ! and parentheses, such as --tags 'ray && !slow'.`

// longestTags is how long an expression over tags may be, in bytes: parsing is
// recursive.
const longestTags = 4096

func parseTags(text string) (tagExpr, error) {
	if len(text) > longestTags {
		return tagExpr{}, usage("--tags takes at most %d characters", longestTags).with(tagHint)
	}
	expr, diags := hclsyntax.ParseExpression([]byte(text), "--tags", hcl.InitialPos)
	if diags.HasErrors() {
		return tagExpr{}, usage("--tags %s: it isn't an expression: %s", shellQuote(text), strings.ToLower(diags[0].Summary)).with(tagHint)
	}
	e := tagExpr{expr}
	if _, err := e.value(nil); err != nil {
		return tagExpr{}, usage("--tags %s: %s", shellQuote(text), err).with(tagHint)
	}
	return e, nil
}

// value is what the expression says of a scenario with these tags.
func (e tagExpr) value(tags []string) (bool, error) {
	known := map[string]cty.Value{}
	for _, name := range e.expr.Variables() {
		if len(name) > 1 {
			return false, fmt.Errorf("%s is not a tag", name.RootName()+"…")
		}
		known[name.RootName()] = cty.BoolVal(slices.Contains(tags, name.RootName()))
	}
	v, diags := e.expr.Value(&hcl.EvalContext{Variables: known})
	if diags.HasErrors() {
		return false, fmt.Errorf("%s", strings.ToLower(diags[0].Summary))
	}
	if v.Type() != cty.Bool || v.IsNull() {
		return false, fmt.Errorf("it is neither true nor false")
	}
	return v.True(), nil
}

// rejectsEarly says that a file that has been read is certainly not meant. It is
// asked before the file is checked, so that a mistake in one that nobody asked
// for is no obstacle.
func (f *filter) rejectsEarly(x *file) bool {
	block := scenarioBlock(x.set)
	if block == nil || len(block.Labels) != 1 {
		return false
	}
	if f.name != nil && !f.name.MatchString(block.Labels[0]) {
		return true
	}
	tags, ok := constantTags(block)
	return ok && !f.hasTags(tags)
}

// rejects says the same of a file that has been checked.
func (f *filter) rejects(x *file) bool {
	return x.scenario != nil && !x.invalid() && !f.hasTags(x.scenario.Tags)
}

func (f *filter) hasTags(tags []string) bool {
	return !slices.ContainsFunc(f.tags, func(e tagExpr) bool {
		ok, err := e.value(tags)
		return err != nil || !ok
	})
}

func scenarioBlock(set *source.Set) *hclsyntax.Block {
	if set.Root.Body == nil {
		return nil
	}
	for _, b := range set.Root.Body.Blocks {
		if b.Type == "scenario" {
			return b
		}
	}
	return nil
}

// constantTags are a scenario's tags, if they depend on nothing.
func constantTags(b *hclsyntax.Block) ([]string, bool) {
	a, ok := b.Body.Attributes["tags"]
	if !ok {
		return nil, true
	}
	v, diags := a.Expr.Value(nil)
	if diags.HasErrors() {
		return nil, false
	}
	v, err := convert.Convert(v, cty.List(cty.String))
	if err != nil || v.IsNull() || !v.IsWhollyKnown() {
		return nil, false
	}
	var tags []string
	for _, t := range v.AsValueSlice() {
		if t.IsNull() {
			return nil, false
		}
		tags = append(tags, t.AsString())
	}
	return tags, true
}

// drop leaves out the files that are rejected. Those whose mistakes keep the
// filter from deciding stay.
func (l *loaded) drop(f *filter, rejects func(*file) bool) error {
	if len(f.text) == 0 {
		return nil
	}
	kept := slices.DeleteFunc(slices.Clone(l.files), rejects)
	if len(kept) == 0 {
		return &exitError{code: exitNothing, err: fmt.Errorf("no scenario matches %s", strings.Join(f.text, " ")), hint: f.alternatives(l.files)}
	}
	l.files = kept
	return nil
}

// alternatives say what there is of that which a filter asks for.
func (f *filter) alternatives(files []*file) string {
	var names, tags []string
	for _, x := range files {
		names = append(names, x.name())
		tags = append(tags, x.tags()...)
	}
	slices.Sort(tags)
	var lines []string
	if f.name != nil || len(tags) == 0 {
		lines = append(lines, "There are: "+strings.Join(show(names), ", "))
	}
	switch {
	case len(f.tags) > 0 && len(tags) > 0:
		lines = append(lines, "There are the tags: "+strings.Join(show(tags), ", "))
	case len(f.tags) > 0:
		lines = append(lines, "None of them has a tag.")
	}
	return strings.Join(lines, "\n")
}

// tags are the scenario's, as far as they are known.
func (f *file) tags() []string {
	if f.scenario != nil {
		return f.scenario.Tags
	}
	if b := scenarioBlock(f.set); b != nil {
		tags, _ := constantTags(b)
		return tags
	}
	return nil
}

// name is the scenario's, or the file's where it has none.
func (f *file) name() string {
	if b := scenarioBlock(f.set); b != nil && len(b.Labels) > 0 {
		return b.Labels[0]
	}
	return f.source()
}

// addFilterFlags adds the flags that choose among what the paths stand for.
func (s *selection) addFilterFlags(f *pflag.FlagSet) {
	f.StringVarP(&s.name, "name", "n", "", "only scenarios whose name matches the regular expression `RE`")
	f.StringArrayVarP(&s.tags, "tags", "t", nil, "only scenarios whose tags fulfil `EXPR`, such as 'ray && !slow'")
	f.StringArrayVar(&s.variants, "variant", nil, "only the variants with `AXIS=VALUE`")
}
