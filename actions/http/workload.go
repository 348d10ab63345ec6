package http

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/step"
	"github.com/scenario-run/scenario/engine/traffic"
)

type workloadIn struct {
	URL         string            `scn:"url" check:"url" doc:"What is asked: this or urls. {seq} in it, in headers and in the body is the request's number, from 0."`
	URLs        []string          `scn:"urls"`
	Failover    bool              `scn:"failover" default:"false" doc:"Whether a request that fails tries the other urls before it counts as failed."`
	Rate        float64           `scn:"rate,required" check:"rate" doc:"Requests per second."`
	Method      string            `scn:"method" default:"GET" enum:"GET,HEAD,POST,PUT,PATCH,DELETE,OPTIONS" doc:"The method."`
	Headers     map[string]string `scn:"headers" doc:"Headers to send."`
	Body        string            `scn:"body" doc:"Body to send."`
	Timeout     time.Duration     `scn:"timeout" default:"2s" check:"positive_duration" doc:"How long an answer may take, connecting included."`
	Expect      cty.Value         `scn:"expect"`
	Capture     map[string]string `scn:"capture" doc:"Values to collect as strings: a name and a path in the JSON of the answer, such as items.0.id. An answer without one is unexpected."`
	Monotonic   []string          `scn:"monotonic" doc:"Captured numbers that must never be lower than one that had been answered before the request was sent; one that is counts as failed, went_back."`
	Keepalive   bool              `scn:"keepalive" default:"false" doc:"Whether connections are used again; otherwise each request makes its own."`
	MaxInFlight int               `scn:"max_in_flight" default:"1000" check:"count" doc:"How many requests may wait for an answer; those beyond are not sent and count as failed (saturated)."`
	CA          string            `scn:"ca"`
	Insecure    bool              `scn:"insecure"`
	From        step.Node         `scn:"from"`
	Baseline    int               `scn:"baseline" default:"20" check:"whole" doc:"How many requests in a row must be ok before the step is done; 0 turns that off."`
	Within      time.Duration     `scn:"within" default:"30s" check:"positive_duration" doc:"How long that may take; after it the scenario is inconclusive."`
}

func workload() step.Definition {
	return step.NewWorkload(schema.Type{
		Name:    "http",
		Summary: "asks an HTTP server all the time, and records every request",
		Doc: `Open loop: request i is due at i / ` + "`rate`" + ` seconds and is sent then, whatever
became of the others. Latency counts from the time it was due. The results are the statistics of the
whole run so far; ` + "`during`, `between` and `since`" + ` give those of a part of it.`,
		Args: schema.Object{Attrs: append(trustArgs(), []schema.Attr{
			{Name: "urls", Type: cty.List(cty.String), Check: checkURLs, Doc: "Several URLs; requests take turns."},
			{Name: "expect", Type: cty.DynamicPseudoType, Check: checkExpect, Doc: docExpect},
			fromArg(),
		}...)},
		Check:  checkWorkload,
		Result: func(args cty.Value) schema.Object { return schema.Statistics(schema.Captured(args)) },
		Examples: []schema.Example{{
			Title: "No request may be lost",
			Text: example(`
workload "http" "clients" {
  url    = "http://${node.web.ip}/"
  rate   = 20
  expect = { status = 200, body = "nginx" }
}

action "sleep" "some_time" {
  for = "5s"
}

assert "none_lost" {
  condition = workload.clients.failed == 0 && workload.clients.max_gap_seconds < 1
}
`),
		}},
	}, send)
}

func send(in workloadIn) (step.Traffic, error) {
	expect, err := parseExpect(in.Expect)
	if err != nil {
		return step.Traffic{}, fmt.Errorf("expect %w", err)
	}
	urls := in.URLs
	if in.URL != "" {
		urls = []string{in.URL}
	}
	spec, err := json.Marshal(traffic.HTTPSpec{
		URLs: urls, Failover: in.Failover, Rate: in.Rate, Method: in.Method, Headers: in.Headers, Body: in.Body,
		Timeout: in.Timeout, Expect: expect, Capture: in.Capture, Monotonic: in.Monotonic, Keepalive: in.Keepalive,
		Trust:       traffic.Trust{CA: in.CA, Insecure: in.Insecure},
		MaxInFlight: in.MaxInFlight,
	})
	if err != nil {
		return step.Traffic{}, err
	}
	return step.Traffic{
		Job: "http", Spec: spec, From: string(in.From), Rate: in.Rate, Baseline: in.Baseline, Within: in.Within,
		Captures: slices.Sorted(maps.Keys(in.Capture)),
	}, nil
}

func checkURLs(v cty.Value) error {
	if v.LengthInt() == 0 {
		return errors.New("is empty")
	}
	var all []error
	for i, u := range v.AsValueSlice() {
		if u.IsNull() || !u.IsKnown() {
			continue
		}
		if err := schema.CheckURL(u); err != nil {
			all = append(all, schema.ElementError(i, err))
		}
	}
	return errors.Join(all...)
}

// checkWorkload says what is wrong with arguments that belong together.
func checkWorkload(args cty.Value) error {
	given := func(name string) bool { return !args.GetAttr(name).IsKnown() || !args.GetAttr(name).IsNull() }
	switch {
	case !given("url") && !given("urls"):
		return errors.New("url or urls is missing")
	case given("url") && given("urls"):
		return errors.New("url and urls exclude each other; put all of them into urls")
	}
	if failover := args.GetAttr("failover"); failover.IsKnown() && !failover.IsNull() && failover.True() && !given("urls") {
		return errors.New("failover needs urls: with one url there is nothing to try instead")
	}
	if err := checkTrust(args); err != nil {
		return err
	}
	capture, monotonic := args.GetAttr("capture"), args.GetAttr("monotonic")
	if !capture.IsKnown() || !monotonic.IsWhollyKnown() || monotonic.IsNull() {
		return nil
	}
	for _, name := range monotonic.AsValueSlice() {
		if name.IsNull() || capture.IsNull() || capture.HasIndex(name).False() {
			return fmt.Errorf("monotonic: nothing is captured as %s", text(name))
		}
	}
	return nil
}

func text(v cty.Value) string {
	if v.IsNull() {
		return "null"
	}
	return fmt.Sprintf("%q", v.AsString())
}
