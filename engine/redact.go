package engine

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/engine/event"
)

// hidden is what stands in the place of a sensitive value.
const hidden = "(sensitive)"

// redactor replaces sensitive values in all that is written. It learns of more
// while the scenario runs.
type redactor struct {
	mu     sync.Mutex // of learning
	known  map[string]bool
	hiding atomic.Pointer[hiding] // nil: nothing yet
}

// hiding is what a redactor hides at one time.
type hiding struct {
	exact    map[string]bool // hidden everywhere
	short    map[string]bool // hidden where a value is nothing else
	replacer *strings.Replacer
}

// shortLine is the length below which a line of a secret of several lines is
// not taken for a secret of its own: a brace or "EOF" would be everywhere.
const shortLine = 8

func newRedactor(secrets []string) *redactor {
	r := &redactor{known: map[string]bool{}}
	r.learn(secrets...)
	return r
}

// learn hides more texts from now on.
func (r *redactor) learn(secrets ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := len(r.known)
	for _, s := range secrets {
		if strings.TrimSpace(s) != "" {
			r.known[s] = true
		}
	}
	if len(r.known) > before {
		r.hiding.Store(hide(r.known))
	}
}

func hide(secrets map[string]bool) *hiding {
	h := &hiding{exact: map[string]bool{}, short: map[string]bool{}}
	for s := range secrets {
		if len(s) < lang.ShortestSecret {
			h.short[s] = true
			continue
		}
		for _, form := range forms(s) {
			h.exact[form] = true
		}
	}
	// Longest first, so that a secret that contains another goes as a whole.
	all := slices.SortedFunc(maps.Keys(h.exact), func(a, b string) int { return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) })
	var pairs []string
	for _, s := range all {
		pairs = append(pairs, s, hidden)
	}
	h.replacer = strings.NewReplacer(pairs...)
	return h
}

// forms are the ways in which a secret is usually written.
func forms(s string) []string {
	quoted := marshal(s)
	all := []string{
		s, string(quoted[1 : len(quoted)-1]), url.QueryEscape(s), url.PathEscape(s),
		base64.StdEncoding.EncodeToString([]byte(s)), base64.RawStdEncoding.EncodeToString([]byte(s)),
		base64.URLEncoding.EncodeToString([]byte(s)), base64.RawURLEncoding.EncodeToString([]byte(s)),
	}
	for line := range strings.Lines(s) {
		// Logs and output come line by line.
		if line = strings.TrimSpace(line); len(line) >= shortLine {
			all = append(all, line)
		}
	}
	return all
}

// now is what is hidden, or nil.
func (r *redactor) now() *hiding {
	if r == nil {
		return nil
	}
	return r.hiding.Load()
}

func (r *redactor) text(s string) string { return r.now().text(s) }

func (h *hiding) text(s string) string {
	if h == nil {
		return s
	}
	return h.replacer.Replace(s)
}

// json hides secrets in a JSON document: in its strings, and numbers that are
// one as a whole. What is not JSON is treated as text.
func (r *redactor) json(doc []byte) []byte { return r.now().json(doc, anything) }

// json of values hides short secrets too, where they are all of a string or
// number; in other documents too much else looks like them.
func (h *hiding) json(doc []byte, values documentKind) []byte {
	if h == nil || len(doc) == 0 {
		return doc
	}
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return []byte(h.text(string(doc)))
	}
	return marshal(h.tree(v, values))
}

// documentKind says what a JSON document holds: results of steps and outputs,
// or anything.
type documentKind bool

const (
	anything documentKind = false
	results  documentKind = true
)

func (h *hiding) tree(v any, kind documentKind) any {
	switch v := v.(type) {
	case string:
		if kind == results && h.short[v] {
			return hidden
		}
		return h.text(v)
	case json.Number:
		if h.exact[v.String()] || kind == results && h.short[v.String()] {
			return hidden
		}
	case []any:
		for i := range v {
			v[i] = h.tree(v[i], kind)
		}
	case map[string]any:
		clean := make(map[string]any, len(v))
		for k, e := range v {
			clean[h.text(k)] = h.tree(e, kind)
		}
		return clean
	}
	return v
}

// body returns a copy of an event's body without secrets. Only plain strings
// and embedded JSON can hold one; states and numbers of the engine's own stay.
func (r *redactor) body(b event.Body) event.Body {
	h := r.now()
	if h == nil {
		return b
	}
	v := reflect.New(reflect.TypeOf(b)).Elem()
	v.Set(reflect.ValueOf(b))
	h.walk(v)
	return v.Interface().(event.Body)
}

var (
	plainString = reflect.TypeFor[string]()
	rawJSON     = reflect.TypeFor[json.RawMessage]()
	shownValue  = reflect.TypeFor[event.Value]()
)

func (h *hiding) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if v.Type() == plainString {
			v.SetString(h.text(v.String()))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			clone := reflect.New(v.Type().Elem())
			clone.Elem().Set(v.Elem())
			h.walk(clone.Elem())
			v.Set(clone)
		}
	case reflect.Struct:
		if v.Type() == shownValue {
			h.shown(v.Addr().Interface().(*event.Value))
		}
		for i := range v.NumField() {
			h.walk(v.Field(i))
		}
	case reflect.Slice:
		h.walkSlice(v)
	case reflect.Map:
		clone := reflect.MakeMapWithSize(v.Type(), v.Len())
		for _, k := range v.MapKeys() {
			e := reflect.New(v.Type().Elem()).Elem()
			e.Set(v.MapIndex(k))
			h.walk(e)
			clone.SetMapIndex(k, e)
		}
		if !v.IsNil() {
			v.Set(clone)
		}
	}
}

func (h *hiding) walkSlice(v reflect.Value) {
	if v.IsNil() {
		return
	}
	if v.Type() == rawJSON {
		v.SetBytes(h.json(v.Bytes(), results))
		return
	}
	clone := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
	reflect.Copy(clone, v)
	for i := range clone.Len() {
		h.walk(clone.Index(i))
	}
	v.Set(clone)
}

// shown hides a value of an expression that is a short secret.
func (h *hiding) shown(v *event.Value) {
	text := v.Text
	if plain, err := strconv.Unquote(text); err == nil {
		text = plain
	}
	if h.short[text] {
		v.Text = hidden
	}
}
