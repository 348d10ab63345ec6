package event

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestEveryBodyComesBackAsItWasWritten(t *testing.T) {
	seen := map[string]bool{}
	for i, b := range bodies {
		if seen[b.eventType()] {
			t.Errorf("two bodies are called %s", b.eventType())
		}
		seen[b.eventType()] = true
		want := Event{Seq: int64(i + 1), Time: time.Unix(1, 2).UTC(), Mono: 3, Variant: "v", Body: filled(b)}
		var out bytes.Buffer
		if err := NewWriter(&out).Write(want); err != nil {
			t.Fatal(err)
		}
		err := Read(&out, func(got Event) error {
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s: %s", b.eventType(), d)
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", b.eventType(), err)
		}
	}
}

// filled is a body in which every field that can be is not empty.
func filled(b Body) Body {
	v := reflect.New(reflect.TypeOf(b)).Elem()
	fill(v)
	return v.Interface().(Body)
}

func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte(`{"a":1}`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("k"), reflect.ValueOf("v"))
	case reflect.String:
		v.SetString("text")
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Float64:
		v.SetFloat(1.5)
	case reflect.Bool:
		v.SetBool(true)
	default:
		panic("no value for " + v.Type().String())
	}
}

func TestAnEventOfALaterVersionIsKept(t *testing.T) {
	var e Event
	if err := json.Unmarshal([]byte(`{"v":1,"seq":1,"type":"later","data":{"x":1}}`), &e); err != nil {
		t.Fatal(err)
	}
	if u, ok := e.Body.(Unknown); !ok || u.Type != "later" || string(u.Data) != `{"x":1}` {
		t.Errorf("%#v", e.Body)
	}
	line, err := json.Marshal(e)
	if err != nil || !strings.Contains(string(line), `"type":"later"`) {
		t.Errorf("%s, %v", line, err)
	}
}

func TestALineThatACrashCutOffEndsTheStreamWithoutAnError(t *testing.T) {
	n := 0
	err := Read(strings.NewReader(`{"v":1,"seq":1,"type":"warning","data":{"text":"a"}}`+"\n"+`{"v":1,"seq":2,"ty`), func(Event) error { n++; return nil })
	if err != nil || n != 1 {
		t.Errorf("%d events, %v", n, err)
	}
}

func TestABrokenLineInTheMiddleIsNamed(t *testing.T) {
	err := Read(strings.NewReader("{}x\n{}\n"), func(Event) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("%v", err)
	}
}
