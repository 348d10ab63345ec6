package lang

import "slices"

// TypeWord is a word that the type of a variable or a param is made of.
type TypeWord struct {
	Name    string
	Summary string // one line, without a full stop
	Doc     string // Markdown
	Type    string // a type that uses it: "list(string)"
	Value   string // a value of that type, as a file writes it
	// OfParams says that variables can't be of it: it is a reference.
	OfParams bool
}

var typeWords = []TypeWord{
	{Name: "string", Summary: "a text in quotes", Type: "string", Value: `"blue"`,
		Doc: "`${…}` in it puts in a value; a number or a bool becomes text by itself."},
	{Name: "number", Summary: "a number, whole or not", Type: "number", Value: `2.5`,
		Doc: "A string that holds a number becomes one by itself."},
	{Name: "bool", Summary: "true or false", Type: "bool", Value: `true`},
	{Name: "any", Summary: "whatever is given", Type: "any", Value: `["blue", 2]`,
		Doc: "The same as leaving `type` out. What `--var` then gives is read as a file writes it, so that a string stands in quotes."},
	{Name: "list", Summary: "elements of one type, in order", Type: "list(string)", Value: `["blue", "green"]`,
		Doc: "An element is `var.NAME[0]`, their number `length(var.NAME)`."},
	{Name: "set", Summary: "elements of one type, each once and without order", Type: "set(number)", Value: `[1, 2, 3]`,
		Doc: "For `for_each`, and to ask with `contains` whether something is in it. It has no index."},
	{Name: "map", Summary: "values of one type, by keys that are strings", Type: "map(number)", Value: `{ blue = 1, green = 2 }`,
		Doc: "A value is `var.NAME.blue` or `var.NAME[\"blue\"]`, the keys are `keys(var.NAME)`."},
	{Name: "object", Summary: "values of types of their own, by names that are fixed", Type: "object({ name = string, port = optional(number, 80) })", Value: `{ name = "blue" }`,
		Doc: "A value is `var.NAME.port`. What isn't `optional` must be given."},
	{Name: "optional", Summary: "an attribute of an object that may be left out", Type: "object({ name = string, port = optional(number, 80) })", Value: `{ name = "blue" }`,
		Doc: "`optional(TYPE)` is null then, `optional(TYPE, VALUE)` that value."},
	{Name: "tuple", Summary: "elements of types of their own, of a fixed number", Type: "tuple([string, number])", Value: `["blue", 2]`},
	{Name: "step", Summary: "a step that a use of a define refers to", Type: "step", OfParams: true,
		Doc: "Steps are actions, faults among them, asserts, workloads and repeats. Of `node`, `list(node)`, `workload` and `fault` a param can be in the same way."},
}

// TypeWords returns the words that types are made of.
func TypeWords() []TypeWord { return slices.Clone(typeWords) }

// typeWordsOf are the words that the type in a block can be made of.
func typeWordsOf(block string) []string {
	var all []string
	for _, w := range typeWords {
		if !w.OfParams || block == "param" {
			all = append(all, w.Name)
		}
	}
	if block == "param" {
		all = append(all, "node", "workload", "fault")
	}
	return all
}
