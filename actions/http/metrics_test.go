package http

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/engine/step/steptest"
)

const exposition = `# TYPE requests_total counter
requests_total{code="200",node="a"} 3
requests_total{code="500",node="a"} 2
# TYPE up gauge
up 1
# TYPE odd gauge
odd NaN
# TYPE took_seconds histogram
took_seconds_bucket{le="0.5"} 4
took_seconds_bucket{le="+Inf"} 6
took_seconds_sum 2.5
took_seconds_count 6
# TYPE size summary
size{quantile="0.5"} 10
size_sum 30
size_count 3
free 7
`

func TestMetricsAreSummedOverTheirLabels(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, exposition) })
	v := scraped(t, url)
	got := map[string]float64{}
	for name, n := range v.GetAttr("values").AsValueMap() {
		got[name], _ = n.AsBigFloat().Float64()
	}
	want := map[string]float64{"requests_total": 5, "up": 1, "took_seconds_sum": 2.5, "took_seconds_count": 6, "size_sum": 30, "size_count": 3, "free": 7}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var lines []string
	for _, s := range v.GetAttr("series").AsValueSlice() {
		labels := map[string]string{}
		for k, l := range s.GetAttr("labels").AsValueMap() {
			labels[k] = l.AsString()
		}
		n, _ := s.GetAttr("value").AsBigFloat().Float64()
		lines = append(lines, fmt.Sprintf("%s%v%g", s.GetAttr("name").AsString(), labels, n))
	}
	if diff := cmp.Diff([]string{
		"freemap[]7", "requests_totalmap[code:200 node:a]3", "requests_totalmap[code:500 node:a]2", "sizemap[quantile:0.5]10", "size_countmap[]3", "size_summap[]30",
		"took_seconds_bucketmap[le:+Inf]6", "took_seconds_bucketmap[le:0.5]4", "took_seconds_countmap[]6", "took_seconds_summap[]2.5", "upmap[]1",
	}, lines); diff != "" {
		t.Error(diff)
	}
}

func TestWhereThereAreNoMetricsThatIsTheAnswer(t *testing.T) {
	for _, tt := range []struct {
		handler http.HandlerFunc
		class   string
	}{
		{func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>") }, "unexpected"},
		{func(w http.ResponseWriter, _ *http.Request) { http.NotFound(w, nil) }, "http_4xx"},
	} {
		if v := scraped(t, serve(t, tt.handler)); v.GetAttr("ok").True() || v.GetAttr("class").AsString() != tt.class || v.GetAttr("values").LengthInt() != 0 {
			t.Errorf("got %#v, want %s", v, tt.class)
		}
	}
	if v := scraped(t, "http://127.0.0.1:1/"); v.GetAttr("ok").True() || v.GetAttr("class").AsString() != "refused" {
		t.Errorf("nobody listens: %#v", v)
	}
}

func scraped(t *testing.T, url string) cty.Value {
	t.Helper()
	d := metrics()
	v, err := d.Probe(t.Context(), steptest.New().Env(), steptest.Args(t, d, given{"url": str(url)}))
	if err != nil {
		t.Fatal(err)
	}
	if errs := v.Type().TestConformance(d.Result(cty.NilVal).Type()); errs != nil {
		t.Errorf("not of the declared type: %v", errs)
	}
	return v
}
