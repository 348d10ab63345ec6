package http

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/engine/step"
	"github.com/scenario-run/scenario/engine/step/steptest"
)

func done(t *testing.T, args given) (step.Result, error) {
	t.Helper()
	d := action()
	return d.Action(t.Context(), steptest.New().Env(), steptest.Args(t, d, args))
}

func TestARequestIsSentAndItsAnswerReturned(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"method": %q, "type": %q, "body": %q, "read": "%v"}`, r.Method, r.Header.Get("Content-Type"), body, err)
	})
	r, err := done(t, given{"url": str(url), "method": str("PUT"), "json": cty.ObjectVal(given{"n": cty.NumberIntVal(7)}), "expect": cty.ObjectVal(given{"status": cty.NumberIntVal(201)})})
	if err != nil {
		t.Fatal(err)
	}
	if errs := r.Value.Type().TestConformance(action().Result(cty.NilVal).Type()); errs != nil {
		t.Errorf("not of the declared type: %v", errs)
	}
	got := r.Value.GetAttr("json")
	if got.GetAttr("method").AsString() != "PUT" || got.GetAttr("type").AsString() != "application/json" || got.GetAttr("body").AsString() != `{"n":7}` {
		t.Errorf("got %#v", got)
	}
	if !strings.HasPrefix(r.Summary, "201 in ") || r.Value.GetAttr("latency_seconds").IsNull() {
		t.Errorf("summary %q, %#v", r.Summary, r.Value)
	}
}

func TestAnAnswerThatIsNotAsExpectedFails(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "draining", http.StatusServiceUnavailable) })
	for _, tt := range []struct {
		args         given
		text, detail string
	}{
		{given{"url": str(url)}, "GET " + url + ": status 503", "draining"},
		{given{"url": str(url), "expect": cty.ObjectVal(given{"status": cty.NumberIntVal(503), "body": str("^ready")})}, `the body "draining\n" does not match "^ready"`, "draining"},
		{given{"url": str("http://127.0.0.1:1/")}, "GET http://127.0.0.1:1/: refused", ""},
	} {
		_, err := done(t, tt.args)
		var e *step.Error
		if !errors.As(err, &e) || e.Verdict != step.Failed || !strings.Contains(err.Error(), tt.text) || !strings.Contains(e.Detail, tt.detail) {
			t.Errorf("got %v (%+v), want %q", err, e, tt.text)
		}
	}
	if r, err := done(t, given{"url": str(url), "expect": cty.ObjectVal(given{"status": cty.NumberIntVal(503)})}); err != nil || !r.Value.GetAttr("status").RawEquals(cty.NumberIntVal(503)) {
		t.Errorf("503 where that is expected: %v", err)
	}
}
