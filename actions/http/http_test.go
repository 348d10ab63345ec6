package http

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
	"github.com/scenario-run/scenario/engine/step/steptest"
	"github.com/scenario-run/scenario/engine/traffic"
	stats "github.com/scenario-run/scenario/engine/workload"
)

type given = map[string]cty.Value

var str = cty.StringVal

func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func asked(t *testing.T, w *steptest.World, args given) cty.Value {
	t.Helper()
	d := probe()
	v, err := d.Probe(t.Context(), w.Env(), steptest.Args(t, d, args))
	if err != nil {
		t.Fatal(err)
	}
	if errs := v.Type().TestConformance(d.Result(cty.NilVal).Type()); errs != nil {
		t.Errorf("not of the declared type: %v", errs)
	}
	return v
}

func TestAnAnswerIsReturnedWhole(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		w.Header().Add("X-Two", "a")
		w.Header().Add("X-Two", "b")
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"method": %q, "key": %q, "body": %q}`, r.Method, r.Header.Get("X-Key"), body)
	})
	v := asked(t, steptest.New(), given{
		"url": str(url), "method": str("PUT"), "headers": cty.MapVal(given{"X-Key": str("k")}), "body": str("hello"),
	})
	if v.GetAttr("ok").False() || !v.GetAttr("status").RawEquals(cty.NumberIntVal(201)) || v.GetAttr("latency_seconds").IsNull() {
		t.Errorf("got %#v", v)
	}
	got := v.GetAttr("json").AsValueMap()
	for name, want := range map[string]string{"method": "PUT", "key": "k", "body": "hello"} {
		if got[name].AsString() != want {
			t.Errorf("%s: %#v, want %s", name, got[name], want)
		}
	}
	if two := v.GetAttr("headers").Index(str("X-Two")); two.AsString() != "a, b" {
		t.Errorf("X-Two: %#v", two)
	}
}

func TestAnErrorStatusIsAnAnswerThatIsNotOk(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "draining", http.StatusServiceUnavailable) })
	v := asked(t, steptest.New(), given{"url": str(url)})
	if v.GetAttr("ok").True() || v.GetAttr("class").AsString() != "http_5xx" || v.GetAttr("error").AsString() != "status 503" {
		t.Errorf("got %#v", v)
	}
	if v.GetAttr("body").AsString() != "draining\n" || !v.GetAttr("json").IsNull() {
		t.Errorf("body %#v", v)
	}
}

func TestAServerThatCanNotBeReachedIsAnAnswer(t *testing.T) {
	release := make(chan struct{})
	hangs := serve(t, func(http.ResponseWriter, *http.Request) { <-release })
	t.Cleanup(func() { close(release) })
	down := steptest.New()
	down.OnDial = func(context.Context, string, string, string) (net.Conn, error) {
		return nil, &runtime.Error{Kind: runtime.NotRunning, Err: errors.New("node.web is down")}
	}
	for _, tt := range []struct {
		w          *steptest.World
		url, class string
		text       string
	}{
		{steptest.New(), "http://127.0.0.1:1", "refused", "connection refused"},
		{steptest.New(), hangs, "timeout", "no answer within 50ms"},
		{down, "http://web", "down", "node.web is down"},
	} {
		v := asked(t, tt.w, given{"url": str(tt.url), "timeout": str("50ms")})
		if v.GetAttr("ok").True() || v.GetAttr("class").AsString() != tt.class || !strings.Contains(v.GetAttr("error").AsString(), tt.text) {
			t.Errorf("%s: %#v", tt.class, v)
		}
		if !v.GetAttr("status").IsNull() || !v.GetAttr("body").IsNull() || !v.GetAttr("latency_seconds").IsNull() {
			t.Errorf("%s has parts of an answer: %#v", tt.class, v)
		}
	}
}

func TestALostPlaceIsNoAnswer(t *testing.T) {
	w := steptest.New()
	w.OnDial = func(context.Context, string, string, string) (net.Conn, error) {
		return nil, &runtime.Error{Kind: runtime.Unreachable, Err: errors.New("no daemon")}
	}
	d := probe()
	_, err := d.Probe(t.Context(), w.Env(), steptest.Args(t, d, given{"url": str("http://web")}))
	if runtime.KindOf(err) != runtime.Unreachable {
		t.Errorf("got %v", err)
	}
}

func TestAWorkloadBecomesAJob(t *testing.T) {
	d := workload()
	got, err := d.Workload(steptest.Args(t, d, given{
		"url": str("http://web:80/x"), "rate": cty.NumberFloatVal(2.5), "from": str("node.web"),
		"expect": cty.ObjectVal(given{
			"status": cty.TupleVal([]cty.Value{cty.NumberIntVal(200), cty.NumberIntVal(204)}), "body": str("^a"),
			"json": cty.ObjectVal(given{"user.id": cty.NumberIntVal(7)}),
		}),
		"capture":   cty.MapVal(given{"pid": str("pid"), "at": str("node.at")}),
		"monotonic": steptest.Strings("at"), "baseline": cty.Zero, "within": str("1m"),
	}))
	if err != nil {
		t.Fatal(err)
	}
	var spec traffic.HTTPSpec
	if err := json.Unmarshal(got.Spec, &spec); err != nil {
		t.Fatal(err)
	}
	got.Spec = nil
	wantTraffic := step.Traffic{Job: "http", From: "node.web", Rate: 2.5, Within: time.Minute, Captures: []string{"at", "pid"}}
	if diff := cmp.Diff(wantTraffic, got); diff != "" {
		t.Errorf("traffic (-want +got):\n%s", diff)
	}
	wantSpec := traffic.HTTPSpec{
		URLs: []string{"http://web:80/x"}, Rate: 2.5, Method: "GET", Timeout: 2 * time.Second, MaxInFlight: 1000,
		Expect:    traffic.Expect{Status: []int{200, 204}, Body: "^a", JSON: map[string]json.RawMessage{"user.id": json.RawMessage("7")}},
		Capture:   map[string]string{"pid": "pid", "at": "node.at"},
		Monotonic: []string{"at"},
	}
	if diff := cmp.Diff(wantSpec, spec); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
}

func TestAJobOfAWorkloadRuns(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"pid": 7}`) })
	d := workload()
	job, err := d.Workload(steptest.Args(t, d, given{
		"url": str(url), "rate": cty.NumberIntVal(100), "capture": cty.MapVal(given{"pid": str("pid")}),
	}))
	if err != nil {
		t.Fatal(err)
	}
	store := stats.NewStore(job.Captures, 0)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- traffic.HTTPJob(ctx, job.Spec, store.Feed) }()
	if err := store.Baseline(t.Context(), job.Baseline); err != nil {
		t.Error(err)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	v := store.Stats(stats.Window{}, time.Now()).Value(job.Captures)
	if !v.GetAttr("failed").RawEquals(cty.Zero) || !v.GetAttr("captured").GetAttr("pid").RawEquals(steptest.Strings("7")) {
		t.Errorf("got %#v", v)
	}
}

func TestWhatIsWrongWithAnExpectIsSaid(t *testing.T) {
	num := cty.NumberIntVal
	for _, tt := range []struct {
		v    cty.Value
		want string // empty: nothing
	}{
		{cty.ObjectVal(given{"status": num(200)}), ""},
		{cty.MapVal(given{"status": num(200)}), ""},
		{cty.ObjectVal(given{"status": cty.ListVal([]cty.Value{num(200), num(302)})}), ""},
		{cty.ObjectVal(given{"status": cty.UnknownVal(cty.Number)}), ""},
		{cty.ObjectVal(given{"json": cty.MapVal(given{"a": cty.UnknownVal(cty.String)})}), ""},
		{cty.DynamicVal, ""},
		{cty.EmptyObjectVal, ""},
		{num(200), "must be an object"},
		{cty.ObjectVal(given{"stauts": num(200)}), `has no "stauts"; it takes body, json, status`},
		{cty.ObjectVal(given{"status": str("200")}), "must be a number"},
		{cty.ObjectVal(given{"status": num(20)}), "20 is not a status"},
		{cty.ObjectVal(given{"status": cty.EmptyTupleVal}), "no status would do"},
		{cty.ObjectVal(given{"body": str("(")}), "not a regular expression"},
		{cty.ObjectVal(given{"body": num(1)}), "as a string"},
		{cty.ObjectVal(given{"json": str("x")}), "must be a map from paths"},
	} {
		err := checkExpect(tt.v)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%#v: %v, want %q", tt.v, err, tt.want)
		}
	}
}

func TestArgumentsOfAWorkloadThatDoNotFitTogetherAreRefused(t *testing.T) {
	d := workload()
	base := func(more given) cty.Value {
		args := given{}
		for _, a := range d.Args.Attrs {
			args[a.Name] = cty.NullVal(a.ValueType())
		}
		for k, v := range more {
			args[k] = v
		}
		return cty.ObjectVal(args)
	}
	url, urls := str("http://a"), steptest.Strings("http://a", "http://b")
	capture := cty.MapVal(given{"n": str("n")})
	for _, tt := range []struct {
		args given
		want string
	}{
		{given{"url": url}, ""},
		{given{"url": cty.UnknownVal(cty.String)}, ""},
		{given{"urls": urls, "failover": cty.True}, ""},
		{given{"url": url, "capture": capture, "monotonic": steptest.Strings("n")}, ""},
		{given{"url": url, "capture": cty.UnknownVal(cty.Map(cty.String)), "monotonic": steptest.Strings("n")}, ""},
		{given{}, "url or urls is missing"},
		{given{"url": url, "urls": urls}, "exclude each other"},
		{given{"url": url, "failover": cty.True}, "failover needs urls"},
		{given{"url": url, "capture": capture, "monotonic": steptest.Strings("m")}, `nothing is captured as "m"`},
		{given{"url": url, "monotonic": steptest.Strings("m")}, `nothing is captured as "m"`},
	} {
		err := d.Check(base(tt.args))
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, want %q", tt.args, err, tt.want)
		}
	}
	for _, bad := range []cty.Value{steptest.Strings(), steptest.Strings("ftp://x"), steptest.Strings("http://x/", "http://x:0/")} {
		if checkURLs(bad) == nil {
			t.Errorf("urls %#v were taken", bad)
		}
	}
}

func TestTheTypeOfCapturedFollowsCapture(t *testing.T) {
	d := workload()
	captured := func(args cty.Value) cty.Type {
		a, _ := d.Result(args).Attr("captured")
		return a.Type
	}
	with := func(v cty.Value) cty.Value { return cty.ObjectVal(given{"capture": v}) }
	for _, open := range []cty.Value{cty.NilVal, cty.DynamicVal, cty.EmptyObjectVal, with(cty.DynamicVal), with(cty.UnknownVal(cty.Map(cty.String)))} {
		if got := captured(open); got != cty.DynamicPseudoType {
			t.Errorf("%#v: %#v", open, got)
		}
	}
	if got := captured(with(cty.NullVal(cty.Map(cty.String)))); !got.Equals(cty.EmptyObject) {
		t.Errorf("without capture: %#v", got)
	}
	// A name is enough: where the value comes from may be open.
	known := with(cty.MapVal(given{"pid": cty.UnknownVal(cty.String)}))
	if got := captured(known); !got.Equals(stats.CapturedType([]string{"pid"})) {
		t.Errorf("with capture: %#v", got)
	}
}
