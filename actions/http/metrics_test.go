package http

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
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
	got := numbers(v)
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

// valuesOf is what a text comes to.
func valuesOf(t *testing.T, contentType, text string) map[string]float64 {
	t.Helper()
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		io.WriteString(w, text)
	})
	v := scraped(t, url)
	if v.GetAttr("ok").False() {
		t.Fatalf("not read: %s", v.GetAttr("error").AsString())
	}
	return numbers(v)
}

func numbers(v cty.Value) map[string]float64 {
	got := map[string]float64{}
	for name, n := range v.GetAttr("values").AsValueMap() {
		got[name], _ = n.AsBigFloat().Float64()
	}
	return got
}

const plainText = "text/plain; version=0.0.4; charset=utf-8"

func TestWhateverTheTextFormatAllowsIsRead(t *testing.T) {
	got := valuesOf(t, plainText, `# a comment
#HELP is none of this one

# HELP requests_total Has \\ and \n in it.
# TYPE requests_total counter
requests_total{path="/a\"b\\c\nd",}  3 1395066363000
requests_total { path = "{} 7" } 1e3 -1
# TYPE took_seconds histogram
took_seconds_bucket{le="1.0"} 1.5
took_seconds_bucket{le="+Inf"} 2.5
took_seconds_sum NaN
took_seconds_count 2.5
# TYPE low gauge
low -Inf
low{a="b"} -0.5
# TYPE none summary
none_sum 0
none_count 0
untyped +7`) // without a newline at its end
	want := map[string]float64{"requests_total": 1003, "took_seconds_count": 2.5, "low": -0.5, "none_sum": 0, "none_count": 0, "untyped": 7}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestLabelsAreThoseThatWereMeant(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "a{b=\"x\\\"y\\\\z\\n\"} 1\n# TYPE h histogram\nh_bucket{le=\"1.0\"} 2\nh_sum 1\nh_count 2\n")
	})
	all := scraped(t, url).GetAttr("series").AsValueSlice()
	if got := all[0].GetAttr("labels").Index(str("b")).AsString(); got != "x\"y\\z\n" {
		t.Errorf("b is %q", got)
	}
	if got := all[1].GetAttr("labels").Index(str("le")).AsString(); got != "1" {
		t.Errorf("le is %q", got)
	}
}

const openMetrics = `# TYPE requests counter
# UNIT requests requests
# HELP requests How many.
requests_total{path="/a b"} 3.0 1520879607.789 # {trace_id="KOO5S4vxi0o"} 0.67
requests_total{path="# {\"} 9"} 4 # {} 1
requests_created{path="/a b"} 1520872607.123
# TYPE took_seconds histogram
took_seconds_bucket{le="0.5"} 4 # {a="b"} 0.3 1520879607.789
took_seconds_bucket{le="+Inf"} 6
took_seconds_sum 2.5
took_seconds_count 6
# TYPE build info
build_info{version="1"} 1
# TYPE state stateset
state{state="on"} 1
# TYPE other unknown
other 8 1520879607
# EOF
`

func TestOpenMetricsAreRead(t *testing.T) {
	for _, contentType := range []string{"application/openmetrics-text; version=1.0.0; charset=utf-8", "application/openmetrics-text"} {
		want := map[string]float64{
			"requests_total": 7, "requests_created": 1520872607.123, "took_seconds_sum": 2.5, "took_seconds_count": 6, "build_info": 1, "state": 1, "other": 8,
		}
		if diff := cmp.Diff(want, valuesOf(t, contentType, openMetrics)); diff != "" {
			t.Error(diff)
		}
	}
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/openmetrics-text")
		io.WriteString(w, "a 1\n")
	})
	if v := scraped(t, url); v.GetAttr("ok").True() || !strings.Contains(v.GetAttr("error").AsString(), "does not end with # EOF") {
		t.Errorf("cut off: %#v", v)
	}
}

func TestCompressedMetricsAreRead(t *testing.T) {
	asked := make(chan string, 1)
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Header.Get("Accept-Encoding")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		io.WriteString(z, exposition)
		z.Close()
	})
	v := scraped(t, url)
	if got := <-asked; got != "gzip" || v.GetAttr("ok").False() || numbers(v)["up"] != 1 {
		t.Errorf("asked for %q: %#v", got, v)
	}
}

func TestManyMetricsAreRead(t *testing.T) {
	var b strings.Builder
	b.WriteString("# TYPE busy gauge\n")
	const n = 10_000
	for i := range n {
		fmt.Fprintf(&b, "busy{node=\"10.0.0.%d\",worker=\"%032d\"} 1\n", i%250, i)
	}
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, b.String()) })
	if got := numbers(scraped(t, url))["busy"]; got != n {
		t.Errorf("%g of %d", got, n)
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
