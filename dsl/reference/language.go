package reference

import (
	"slices"

	"github.com/zclconf/go-cty/cty/function"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/funcs"
	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/schema"
)

// Language is all that a scenario file can say.
type Language struct {
	Blocks     []lang.Block
	Roots      []lang.Root
	Types      []schema.Type // by kind, then name
	Functions  []Function
	Windows    []lang.WindowFunction
	Statistics []schema.Attr
	Formats    []schema.FormatInfo
	ValueTypes []lang.TypeWord
	Codes      []Code

	topics []Topic
}

// Function is a function with its parameters.
type Function struct {
	funcs.Info
	Params   []Param
	Variadic *Param // further arguments; nil: none
}

// Param is a parameter of a function.
type Param struct{ Name, Type string }

// Code is a diagnostic code with what it means.
type Code struct {
	diag.Entry
	Doc string // Markdown
	// Wrong provokes it, Right is how to write it instead. Both are whole
	// scenarios: the first file is the one to run. Wrong is empty for what no
	// file of this vocabulary can provoke.
	Wrong, Right []File
}

// File is a file of an example.
type File struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// kinds are the kinds of types in the order in which they are shown.
var kinds = []schema.Kind{schema.Action, schema.Fault, schema.Probe, schema.Workload, schema.NodeKind}

// New gathers the language with the types of a vocabulary.
func New(v schema.Vocabulary) *Language {
	l := &Language{
		Blocks:     lang.Blocks(),
		Roots:      lang.Roots(),
		Functions:  functions(),
		Windows:    lang.WindowFunctions(),
		Statistics: schema.Statistics(capturedType).Attrs,
		Formats:    schema.Formats(),
		ValueTypes: lang.TypeWords(),
		Codes:      codes(),
	}
	for _, k := range kinds {
		for _, t := range v.Types(k) {
			if t.Kind == k { // asked for actions, the vocabulary returns faults as well
				l.Types = append(l.Types, t)
			}
		}
	}
	l.topics = l.makeTopics()
	return l
}

// With adds topics that aren't the language's own. What there is to say of one is
// its Doc.
func (l *Language) With(topics ...Topic) *Language {
	more := *l
	more.topics = slices.Clone(l.topics)
	for _, t := range topics {
		t.Summary, t.Doc = summaryOf(t.Doc), afterFirstSentence(t.Doc)
		more.topics = append(more.topics, t)
	}
	return &more
}

// functions joins what funcs says of its functions with their parameters.
func functions() []Function {
	table := funcs.Table(funcs.Env{})
	var all []Function
	for _, i := range funcs.Infos() {
		f := Function{Info: i}
		fn := table[i.Name]
		for _, p := range fn.Params() {
			f.Params = append(f.Params, param(p))
		}
		if p := fn.VarParam(); p != nil {
			v := param(*p)
			f.Variadic = &v
		}
		all = append(all, f)
	}
	return all
}

func param(p function.Parameter) Param { return Param{p.Name, schema.Notation(p.Type)} }

// Usage is how a function is called: "substr(str: string, offset: number,
// length: number) → string".
func (f Function) Usage() string {
	var params []string
	for _, p := range f.Params {
		params = append(params, p.Name+": "+p.Type)
	}
	if f.Variadic != nil {
		params = append(params, f.Variadic.Name+"…: "+f.Variadic.Type)
	}
	return call(f.Name, params) + " → " + f.Result
}

// typesOf returns the types of a kind. Faults are not among the actions.
func (l *Language) typesOf(k schema.Kind) []schema.Type {
	var all []schema.Type
	for _, t := range l.Types {
		if t.Kind == k {
			all = append(all, t)
		}
	}
	return all
}
