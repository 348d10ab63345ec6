package engine

import (
	"bytes"
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/scenario-run/scenario/engine/event"
)

// hidden is what stands in the place of a sensitive value.
const hidden = "(sensitive)"

// redactor replaces sensitive values in all that is written. Nil: none.
type redactor struct {
	exact    map[string]bool
	replacer *strings.Replacer
}

// shortLine is the length below which a line of a secret of several lines is
// not taken for a secret of its own: a brace or "EOF" would be everywhere.
const shortLine = 8

func newRedactor(secrets []string) *redactor {
	exact := map[string]bool{}
	for _, s := range secrets {
		if strings.TrimSpace(s) == "" {
			continue
		}
		exact[s] = true
		quoted, _ := json.Marshal(s)
		exact[string(quoted[1:len(quoted)-1])] = true
		for line := range strings.Lines(s) {
			// Logs and output come line by line.
			if line = strings.TrimSpace(line); len(line) >= shortLine {
				exact[line] = true
			}
		}
	}
	if len(exact) == 0 {
		return nil
	}
	var all []string
	for s := range exact {
		all = append(all, s)
	}
	// Longest first, so that a secret that contains another goes as a whole.
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) })
	var pairs []string
	for _, s := range all {
		pairs = append(pairs, s, hidden)
	}
	return &redactor{exact: exact, replacer: strings.NewReplacer(pairs...)}
}

func (r *redactor) text(s string) string {
	if r == nil {
		return s
	}
	return r.replacer.Replace(s)
}

// json hides secrets in a JSON document: in its strings, and numbers that are
// one as a whole. What is not JSON is treated as text.
func (r *redactor) json(doc []byte) []byte {
	if r == nil || len(doc) == 0 {
		return doc
	}
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return []byte(r.text(string(doc)))
	}
	return marshal(r.tree(v))
}

func (r *redactor) tree(v any) any {
	switch v := v.(type) {
	case string:
		return r.text(v)
	case json.Number:
		if r.exact[v.String()] {
			return hidden
		}
	case []any:
		for i := range v {
			v[i] = r.tree(v[i])
		}
	case map[string]any:
		clean := make(map[string]any, len(v))
		for k, e := range v {
			clean[r.text(k)] = r.tree(e)
		}
		return clean
	}
	return v
}

// body returns a copy of an event's body without secrets. Only plain strings
// and embedded JSON can hold one; states and numbers of the engine's own stay.
func (r *redactor) body(b event.Body) event.Body {
	if r == nil {
		return b
	}
	v := reflect.New(reflect.TypeOf(b)).Elem()
	v.Set(reflect.ValueOf(b))
	r.walk(v)
	return v.Interface().(event.Body)
}

var (
	plainString = reflect.TypeFor[string]()
	rawJSON     = reflect.TypeFor[json.RawMessage]()
)

func (r *redactor) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if v.Type() == plainString {
			v.SetString(r.text(v.String()))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			clone := reflect.New(v.Type().Elem())
			clone.Elem().Set(v.Elem())
			r.walk(clone.Elem())
			v.Set(clone)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			r.walk(v.Field(i))
		}
	case reflect.Slice:
		r.walkSlice(v)
	case reflect.Map:
		clone := reflect.MakeMapWithSize(v.Type(), v.Len())
		for _, k := range v.MapKeys() {
			e := reflect.New(v.Type().Elem()).Elem()
			e.Set(v.MapIndex(k))
			r.walk(e)
			clone.SetMapIndex(k, e)
		}
		if !v.IsNil() {
			v.Set(clone)
		}
	}
}

func (r *redactor) walkSlice(v reflect.Value) {
	if v.IsNil() {
		return
	}
	if v.Type() == rawJSON {
		v.SetBytes(r.json(v.Bytes()))
		return
	}
	clone := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
	reflect.Copy(clone, v)
	for i := range clone.Len() {
		r.walk(clone.Index(i))
	}
	v.Set(clone)
}
