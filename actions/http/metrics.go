package http

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"

	"github.com/scenario-run/scenario/actions/network"
	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/step"
	"github.com/scenario-run/scenario/engine/traffic"
)

type metricsIn struct {
	URL      string        `scn:"url,required" check:"url" doc:"Where the metrics are, in Prometheus' text format or OpenMetrics."`
	Timeout  time.Duration `scn:"timeout" default:"5s" check:"positive_duration" doc:"How long the answer may take, connecting included."`
	CA       string        `scn:"ca"`
	Insecure bool          `scn:"insecure"`
	From     step.Node     `scn:"from"`
}

type metricsOut struct {
	OK     bool               `scn:"ok" doc:"Whether metrics came."`
	Error  *string            `scn:"error" doc:"Why not; null if ok."`
	Class  *string            `scn:"class" doc:"How it failed: refused, reset, timeout, dns, unreachable, down (the node that asks), http_4xx, http_5xx, unexpected; null if ok."`
	Values map[string]float64 `scn:"values" doc:"The value of each metric, summed over its labels. Of a histogram or summary these are NAME_sum and NAME_count."`
	Series []series           `scn:"series" doc:"Every series, sorted by name and labels: those of histograms, NAME_bucket with the label le, and of summaries, NAME with the label quantile, included; such a bound is written as 0.5, 1 or +Inf, however the endpoint writes it."`
}

type series struct {
	Name   string            `scn:"name" doc:"The metric's name."`
	Labels map[string]string `scn:"labels" doc:"Its labels."`
	Value  float64           `scn:"value" doc:"Its value."`
}

func metrics() step.Definition {
	return step.NewProbe(schema.Type{
		Name:    "metrics",
		Summary: "what a Prometheus endpoint counts",
		Doc: `Series whose value is NaN or infinite are left out. An endpoint that can't be reached is an answer:
` + "`ok` is false, `class` says how, and there are no values" + `.`,
		Args:  schema.Object{Attrs: append(trustArgs(), fromArg())},
		Check: checkTrust,
		Examples: []schema.Example{{
			Title: "No restart was counted",
			Text: example(`
probe "metrics" "web" {
  url = "http://${node.web.ip}:9113/metrics"
}

assert "few_connections" {
  condition = lookup(probe.web.values, "nginx_connections_active", 0) < 100
  within    = "10s"
}

assert "none_waits" {
  condition = alltrue([for s in probe.web.series : s.value == 0 if s.name == "nginx_connections_waiting"])
}
`),
		}},
	}, scrape)
}

func scrape(ctx context.Context, env *step.Env, in metricsIn) (metricsOut, error) {
	client, err := clientFor(env, in.From, in.URL, traffic.Trust{CA: in.CA, Insecure: in.Insecure})
	if err != nil {
		return metricsOut{}, err
	}
	limited, cancel := context.WithTimeout(ctx, in.Timeout)
	defer cancel()
	reply := traffic.Ask(limited, client, traffic.Request{
		Method: "GET", URL: in.URL, Headers: map[string]string{"Accept": "text/plain;version=0.0.4"}, Most: maxMetrics,
	})
	if reply.Err != nil {
		class, text, err := network.Failure(ctx, reply.Err, in.Timeout)
		return metricsOut{Error: &text, Class: new(string(class))}, err
	}
	if kept := int64(len(reply.Body)); reply.Bytes > kept {
		return metricsOut{}, fmt.Errorf("the metrics have %d bytes; more than %d can't be looked at", reply.Bytes, kept)
	}
	if err := (traffic.Expect{}).Check(reply.Status, nil); err != nil {
		return metricsOut{Error: new(err.Error()), Class: new(string(traffic.Classify(err)))}, nil
	}
	found, err := families(reply.Header.Get("Content-Type"), reply.Body)
	if err != nil {
		return metricsOut{Error: new("no metrics in Prometheus' text format: " + err.Error()), Class: new(string(traffic.Unexpected))}, nil
	}
	out := metricsOut{OK: true, Values: map[string]float64{}}
	for _, f := range found {
		out.add(f)
	}
	slices.SortFunc(out.Series, compareSeries)
	return out, nil
}

// maxMetrics is how many bytes of metrics are looked at: a busy Ray node has
// some.
const maxMetrics = 16 << 20

// add takes in all series of a metric.
func (o *metricsOut) add(f *dto.MetricFamily) {
	name := f.GetName()
	for _, m := range f.GetMetric() {
		labels := map[string]string{}
		for _, l := range m.GetLabel() {
			labels[l.GetName()] = l.GetValue()
		}
		switch {
		case m.Histogram != nil:
			for _, b := range m.Histogram.GetBucket() {
				o.part(name+"_bucket", labels, "le", b.GetUpperBound(), count(b.CumulativeCount, b.CumulativeCountFloat))
			}
			o.total(name+"_sum", labels, m.Histogram.GetSampleSum())
			o.total(name+"_count", labels, count(m.Histogram.SampleCount, m.Histogram.SampleCountFloat))
		case m.Summary != nil:
			for _, q := range m.Summary.GetQuantile() {
				o.part(name, labels, "quantile", q.GetQuantile(), q.GetValue())
			}
			o.total(name+"_sum", labels, m.Summary.GetSampleSum())
			o.total(name+"_count", labels, float64(m.Summary.GetSampleCount()))
		case m.Counter != nil:
			o.total(name, labels, m.Counter.GetValue())
		case m.Gauge != nil:
			o.total(name, labels, m.Gauge.GetValue())
		default:
			o.total(name, labels, m.GetUntyped().GetValue())
		}
	}
}

// count is how many a histogram has of something: it counts in whole numbers, or
// in others.
func count(whole *uint64, other *float64) float64 {
	switch {
	case other != nil:
		return *other
	case whole != nil:
		return float64(*whole)
	}
	return 0
}

// total takes in a series that can be summed with the others of its name.
func (o *metricsOut) total(name string, labels map[string]string, value float64) {
	if isNumber(value) {
		o.Values[name] += value
		o.Series = append(o.Series, series{name, labels, value})
	}
}

// part takes in a series that is a part of a histogram or summary.
func (o *metricsOut) part(name string, labels map[string]string, label string, at, value float64) {
	if !isNumber(value) {
		return
	}
	with := maps.Clone(labels)
	with[label] = boundText(at)
	o.Series = append(o.Series, series{name, with, value})
}

func compareSeries(a, b series) int {
	return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(labelsText(a.Labels), labelsText(b.Labels)))
}

// labelsText is the labels in an order that is always the same.
func labelsText(labels map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		fmt.Fprintf(&b, "%s=%q,", name, labels[name])
	}
	return b.String()
}

func isNumber(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// boundText is a bound as the text format has it.
func boundText(f float64) string {
	if math.IsInf(f, 1) {
		return "+Inf"
	}
	return fmt.Sprint(f)
}
