package reference

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/schema"
)

// SchemaVersion is the version of what JSON writes. It grows when something in
// it is taken away or comes to mean something else, not when something is
// added.
const SchemaVersion = 1

// The documents of JSON; see docs/reference/language.schema.json.
type (
	languageDoc struct {
		SchemaVersion   int           `json:"schema_version"`
		Blocks          []blockDoc    `json:"blocks"`
		References      []rootDoc     `json:"references"`
		Types           []typeDoc     `json:"types"`
		StepAttributes  []attrDoc     `json:"step_attributes"`
		FaultAttributes []attrDoc     `json:"fault_attributes"`
		Statistics      []attrDoc     `json:"statistics"`
		Functions       []functionDoc `json:"functions"`
		Formats         []formatDoc   `json:"formats"`
		ValueTypes      []valueDoc    `json:"value_types"`
		Codes           []codeDoc     `json:"codes"`
	}
	blockDoc struct {
		Name       string    `json:"name"`
		Labels     []string  `json:"labels"`
		Summary    string    `json:"summary"`
		Doc        string    `json:"doc"`
		Kind       string    `json:"kind,omitempty"`    // of the types that its first label names
		Entries    string    `json:"entries,omitempty"` // what it holds instead of arguments
		Holds      []string  `json:"holds,omitempty"`   // further blocks in it
		Reference  string    `json:"reference,omitempty"`
		Body       bodyDoc   `json:"body"`
		Meta       bodyDoc   `json:"meta"`
		Attributes []attrDoc `json:"attributes"`
	}
	bodyDoc struct {
		Arguments []attrDoc   `json:"arguments"`
		Blocks    []nestedDoc `json:"blocks"`
	}
	nestedDoc struct {
		Name     string  `json:"name"`
		Doc      string  `json:"doc"`
		Required bool    `json:"required"`
		Repeated bool    `json:"repeated"`
		Of       string  `json:"of,omitempty"` // the kind of the type that its label names
		Body     bodyDoc `json:"body"`
	}
	attrDoc struct {
		Name        string          `json:"name"`
		Type        string          `json:"type"`
		Format      string          `json:"format,omitempty"`
		Doc         string          `json:"doc"`
		Required    bool            `json:"required,omitempty"`
		Default     json.RawMessage `json:"default,omitempty"`
		DefaultNode *onlyNodeDoc    `json:"default_node,omitempty"`
		Enum        []string        `json:"enum,omitempty"`
		Reference   string          `json:"reference,omitempty"` // what it refers to, written as such
		Sensitive   bool            `json:"sensitive,omitempty"`
		Fields      []attrDoc       `json:"fields,omitempty"`
	}
	onlyNodeDoc struct {
		Kind     string `json:"kind"`
		Argument string `json:"argument"`
		Value    string `json:"value"`
	}
	rootDoc struct {
		Name       string    `json:"name"`
		Summary    string    `json:"summary"`
		Attributes []attrDoc `json:"attributes"`
	}
	typeDoc struct {
		Kind         string       `json:"kind"`
		Name         string       `json:"name"`
		Summary      string       `json:"summary"`
		Doc          string       `json:"doc"`
		Body         bodyDoc      `json:"body"`
		Results      []attrDoc    `json:"results"`
		Takes        []string     `json:"takes"`
		Ends         []string     `json:"ends"`
		NeedsRunning bool         `json:"needs_running"`
		Examples     []exampleDoc `json:"examples"`
	}
	exampleDoc struct {
		Title string `json:"title"`
		Text  string `json:"text"`
	}
	functionDoc struct {
		Name       string     `json:"name"`
		Group      string     `json:"group"`
		Summary    string     `json:"summary"`
		Parameters []paramDoc `json:"parameters"`
		Variadic   *paramDoc  `json:"variadic,omitempty"` // any number more of these
		Result     string     `json:"result"`
		Example    *yieldsDoc `json:"example,omitempty"`
	}
	paramDoc struct {
		Name string `json:"name"`
		Type string `json:"type"`
	}
	yieldsDoc struct {
		Call   string `json:"call"`
		Yields string `json:"yields"`
	}
	formatDoc struct {
		Name    string `json:"name"`
		Doc     string `json:"doc"`
		Example string `json:"example"`
	}
	valueDoc struct {
		Name     string `json:"name"`
		Summary  string `json:"summary"`
		Doc      string `json:"doc"`
		Type     string `json:"type"`                // one that uses it
		OfParams bool   `json:"of_params,omitempty"` // variables can't be of it
	}
	codeDoc struct {
		Code    string `json:"code"`
		Summary string `json:"summary"`
		Doc     string `json:"doc"`
	}
)

// JSON writes the whole language as data.
func (l *Language) JSON(to io.Writer) error {
	doc, err := l.document()
	if err != nil {
		return err
	}
	enc := json.NewEncoder(to)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(doc)
}

func (l *Language) document() (*languageDoc, error) {
	e := &encoder{}
	doc := &languageDoc{
		SchemaVersion:   SchemaVersion,
		StepAttributes:  e.attrs(schema.StepAttrs.Attrs),
		FaultAttributes: e.attrs(schema.FaultAttrs.Attrs),
		Statistics:      e.attrs(l.Statistics),
		Blocks:          each(l.Blocks, e.block),
		Types:           each(l.Types, e.typ),
		References: each(l.Roots, func(r lang.Root) rootDoc {
			return rootDoc{r.Name, r.Summary, e.attrs(r.Value.Attrs)}
		}),
		Formats: each(l.Formats, func(f schema.FormatInfo) formatDoc { return formatDoc{string(f.Format), f.Doc, f.Example} }),
		ValueTypes: each(l.ValueTypes, func(w lang.TypeWord) valueDoc {
			return valueDoc{w.Name, w.Summary, w.Doc, w.Type, w.OfParams}
		}),
		Codes: each(l.Codes, func(c Code) codeDoc { return codeDoc{string(c.Code), c.Summary, c.Doc} }),
	}
	doc.Functions = append(each(l.Windows, window), each(l.Functions, called)...)
	return doc, e.err
}

// encoder keeps the first error.
type encoder struct{ err error }

func (e *encoder) block(b lang.Block) blockDoc {
	return blockDoc{
		Name: b.Name, Labels: orEmpty(b.Labels), Summary: b.Summary, Doc: b.Doc, Kind: string(b.Kind), Entries: b.Entries, Holds: b.Holds,
		Reference: b.Refer, Body: e.body(b.Args), Meta: e.body(b.Meta), Attributes: e.attrs(b.Value.Attrs),
	}
}

func (e *encoder) typ(t schema.Type) typeDoc {
	args := t.Args
	if t.Kind == schema.Fault {
		args = args.And(schema.FaultArgs)
	}
	doc := typeDoc{
		Kind: string(t.Kind), Name: t.Name, Summary: t.Summary, Doc: t.Doc, Body: e.body(args), NeedsRunning: t.NeedsRunning,
		Takes:    each(t.Takes, func(r schema.Resource) string { return string(r) }),
		Ends:     each(t.Ends, func(r schema.Resource) string { return string(r) }),
		Examples: each(t.Examples, func(x schema.Example) exampleDoc { return exampleDoc{x.Title, x.Text} }),
		Results:  []attrDoc{},
	}
	if t.Result != nil {
		doc.Results = e.attrs(t.Result(cty.UnknownVal(t.Args.Type())).Attrs)
	}
	return doc
}

func (e *encoder) body(o schema.Object) bodyDoc {
	return bodyDoc{e.attrs(o.Attrs), each(o.Blocks, func(b schema.Block) nestedDoc {
		return nestedDoc{b.Name, b.Doc, b.Required, b.Repeated, string(b.Of), e.body(b.Body)}
	})}
}

func (e *encoder) attrs(list []schema.Attr) []attrDoc { return each(list, e.attr) }

func (e *encoder) attr(a schema.Attr) attrDoc {
	doc := attrDoc{
		Name: a.Name, Type: a.Notation(), Format: string(a.Format), Doc: a.Doc, Required: a.Required, Enum: a.Enum,
		Reference: string(a.Ref), Sensitive: a.Sensitive,
	}
	if a.Default != cty.NilVal && !a.Default.IsNull() {
		data, err := ctyjson.Marshal(a.Default, a.Default.Type())
		if err != nil && e.err == nil {
			e.err = fmt.Errorf("default of %s: %w", a.Name, err)
		}
		doc.Default = data
	}
	if a.OnlyNode != (schema.OnlyNode{}) {
		doc.DefaultNode = &onlyNodeDoc{a.OnlyNode.Kind, a.OnlyNode.Arg, a.OnlyNode.Value}
	}
	if len(a.Fields) > 0 {
		doc.Fields = e.attrs(a.Fields)
	}
	return doc
}

func called(f Function) functionDoc {
	doc := functionDoc{
		Name: f.Name, Group: string(f.Group), Summary: f.Summary, Result: f.Result, Example: &yieldsDoc{f.Example, f.Yields},
		Parameters: each(f.Params, func(p Param) paramDoc { return paramDoc(p) }),
	}
	if f.Variadic != nil {
		v := paramDoc(*f.Variadic)
		doc.Variadic = &v
	}
	return doc
}

// window describes a function whose arguments are references: their types say
// to what.
func window(w lang.WindowFunction) functionDoc {
	return functionDoc{
		Name: string(w.Name), Group: windowGroup, Summary: w.Summary, Result: "statistics",
		Parameters: each(w.Params, func(name string) paramDoc {
			if name == "workload" || name == "fault" {
				return paramDoc{name, name}
			}
			return paramDoc{name, "step"}
		}),
	}
}

// each is never nil, so that an empty list is one in JSON too.
func each[T, U any](list []T, f func(T) U) []U {
	all := make([]U, 0, len(list))
	for _, x := range list {
		all = append(all, f(x))
	}
	return all
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
