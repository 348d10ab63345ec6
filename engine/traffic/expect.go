package traffic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Expect is what an answer must be. The zero value expects a status below 400.
type Expect struct {
	Status []int  `json:"status,omitempty"`
	Body   string `json:"body,omitempty"` // regular expression
	// JSON are values of the body by path: names and, for lists, indices from
	// 0, with dots between them.
	JSON map[string]json.RawMessage `json:"json,omitempty"`
}

// needsBody says whether the body decides.
func (e Expect) needsBody() bool { return e.Body != "" || len(e.JSON) > 0 }

// Check returns how an answer differs from what is expected, or nil.
func (e Expect) Check(status int, body []byte) error {
	x, err := e.compile()
	if err != nil {
		return err
	}
	return x.check(status, &document{text: body})
}

// expectation is an Expect in the form in which it is checked again and again.
type expectation struct {
	status []int
	body   *regexp.Regexp
	fields []field
}

// field is a value that a body must have somewhere.
type field struct {
	path string
	want any
}

func (e Expect) compile() (expectation, error) {
	x := expectation{status: e.Status}
	if e.Body != "" {
		re, err := regexp.Compile(e.Body)
		if err != nil {
			return x, err
		}
		x.body = re
	}
	for _, path := range sortedKeys(e.JSON) {
		want, err := parseJSON(e.JSON[path])
		if err != nil {
			return x, fmt.Errorf("expected value of %q: %w", path, err)
		}
		x.fields = append(x.fields, field{path, want})
	}
	return x, nil
}

func (x expectation) check(status int, body *document) error {
	if len(x.status) > 0 && !slices.Contains(x.status, status) || len(x.status) == 0 && status >= 400 {
		return statusError(status)
	}
	if x.body != nil && !x.body.Match(body.text) {
		return unexpectedf("the body %s does not match %q", excerpt(body.text), x.body)
	}
	if len(x.fields) == 0 {
		return nil
	}
	doc, err := body.json()
	if err != nil {
		return err
	}
	for _, f := range x.fields {
		got, ok := lookup(doc, f.path)
		if !ok {
			return unexpectedf("the body has no %q", f.path)
		}
		if !equalJSON(got, f.want) {
			return unexpectedf("%q is %s, not %s", f.path, textOf(got), textOf(f.want))
		}
	}
	return nil
}

// document is the body of an answer, read as JSON once if at all.
type document struct {
	text   []byte
	parsed any
}

func (d *document) json() (any, error) {
	if d.parsed == nil {
		doc, err := parseJSON(d.text)
		if err != nil {
			return nil, unexpectedf("the body %s is not JSON: %v", excerpt(d.text), err)
		}
		d.parsed = doc
	}
	return d.parsed, nil
}

func unexpectedf(format string, args ...any) *failure {
	return &failure{Unexpected, fmt.Sprintf(format, args...)}
}

// excerpt is the beginning of a body, for a message.
func excerpt(body []byte) string {
	const most = 80
	if len(body) > most {
		return strconv.Quote(strings.ToValidUTF8(string(body[:most]), "")) + "…"
	}
	return strconv.Quote(string(body))
}

// parseJSON reads one JSON value, keeping numbers as they are written.
func parseJSON(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("text after the value")
	}
	return v, nil
}

// lookup finds a value by its path.
func lookup(doc any, path string) (any, bool) {
	for _, name := range strings.Split(path, ".") {
		switch at := doc.(type) {
		case map[string]any:
			next, ok := at[name]
			if !ok {
				return nil, false
			}
			doc = next
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(at) {
				return nil, false
			}
			doc = at[i]
		default:
			return nil, false
		}
	}
	return doc, true
}

// textOf is a value as a captured string: strings as they are, all else as
// compact JSON.
func textOf(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

// equalJSON compares values, numbers by what they are rather than how they are
// written.
func equalJSON(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		return ok && compareNumbers(a.String(), b.String()) == 0
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equalJSON)
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, v := range a {
			if w, ok := b[k]; !ok || !equalJSON(v, w) {
				return false
			}
		}
		return true
	default:
		return a == b
	}
}

// compareNumbers compares decimal numbers that parseNumber accepts.
func compareNumbers(a, b string) int {
	x, y := parseNumber(a), parseNumber(b)
	if x == nil || y == nil {
		return strings.Compare(a, b)
	}
	return x.Cmp(y)
}

// parseNumber reads a decimal number exactly enough for 64-bit integers, or
// returns nil.
func parseNumber(s string) *big.Float {
	f, _, err := big.ParseFloat(s, 10, 256, big.ToNearestEven)
	if err != nil {
		return nil
	}
	return f
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
