package network

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/engine/step"
	"github.com/scenario-run/scenario/engine/step/steptest"
)

// given are the arguments of a type, those left out being null.
func given(d step.Definition, args map[string]cty.Value) cty.Value {
	all := map[string]cty.Value{}
	for _, a := range d.Args.Attrs {
		all[a.Name] = cty.NullVal(a.ValueType())
	}
	for k, v := range args {
		all[k] = v
	}
	return cty.ObjectVal(all)
}

func TestDelaysThatCanNotBeAreRefused(t *testing.T) {
	text, number := cty.StringVal, cty.NumberIntVal
	for _, test := range []struct {
		want string
		args map[string]cty.Value
	}{
		{"a jitter of 20ms is more than the latency of 10ms", map[string]cty.Value{"latency": text("10ms"), "jitter": text("20ms")}},
		{"a correlation is one of the jitter", map[string]cty.Value{"latency": text("1s"), "jitter": text("0s"), "correlation": number(1)}},
		{"", map[string]cty.Value{"latency": text("10s"), "jitter": text("10s"), "correlation": number(100)}},
		// What isn't known yet is no mistake.
		{"", map[string]cty.Value{"latency": cty.UnknownVal(cty.String), "jitter": text("20ms")}},
	} {
		d := delay()
		test.args["isolate"] = nodes("a")
		err := d.Check(given(d, test.args))
		if got := errorText(err); test.want == "" && err != nil || !strings.Contains(got, test.want) {
			t.Errorf("%v: %q, want %q", test.args, got, test.want)
		}
	}
	d := delay()
	if err := d.Check(given(d, map[string]cty.Value{"latency": text("1s")})); err == nil || !strings.Contains(err.Error(), "say which links") {
		t.Errorf("without links: %v", err)
	}
	latency, _ := d.Args.Attr("latency")
	for _, bad := range []string{"0s", "1ns", "999us", "11s", "-1s", "soon", "100"} {
		if latency.Refuse(text(bad)) == nil {
			t.Errorf("a latency of %s is taken", bad)
		}
	}
	jitter, _ := d.Args.Attr("jitter")
	for _, bad := range []string{"1ns", "99us", "-1s"} {
		if jitter.Refuse(text(bad)) == nil {
			t.Errorf("a jitter of %s is taken", bad)
		}
	}
	correlation, _ := d.Args.Attr("correlation")
	for _, bad := range []float64{-1, 101, 0.25} {
		if correlation.Refuse(cty.NumberFloatVal(bad)) == nil {
			t.Errorf("a correlation of %v is taken", bad)
		}
	}
}

// What the kernel can't draw comes to no loss, or to the loss of everything.
func TestLossesThatCanNotBeAreRefused(t *testing.T) {
	percent, _ := loss().Args.Attr("percent")
	for _, bad := range []float64{-1, 0, 1e-8, 0.0009, 99.9995, 100.1} {
		if percent.Refuse(cty.NumberFloatVal(bad)) == nil {
			t.Errorf("a loss of %v is taken", bad)
		}
	}
	for _, good := range []float64{0.001, 0.5, 33.333333, 99.999, 100} {
		if err := percent.Refuse(cty.NumberFloatVal(good)); err != nil {
			t.Errorf("%v: %v", good, err)
		}
	}
}

func TestRatesThatCanNotBeAreRefused(t *testing.T) {
	rate, _ := rateLimit().Args.Attr("rate")
	for _, bad := range []string{"0mbit", "-1mbit", "1", "1mb", "fast", "1e6bit", "999bit", "11gbit", ""} {
		if rate.Refuse(cty.StringVal(bad)) == nil {
			t.Errorf("a rate of %q is taken", bad)
		}
	}
	for _, good := range []string{"1kbit", "1.5mbit", "10gbit", "64 kbit", "1Mbit/s"} {
		if err := rate.Refuse(cty.StringVal(good)); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
}

func TestNodesThatCanNotBeSlowedAreAFailure(t *testing.T) {
	for want, args := range map[string]map[string]cty.Value{
		"no node is named":    {"isolate": cty.ListValEmpty(cty.String)},
		"node.b does not run": {"isolate": nodes("b")},
	} {
		for _, d := range []step.Definition{delay(), rateLimit()} {
			w := world()
			if err := w.Env().Nodes.Kill(t.Context(), "node.b", "SIGKILL"); err != nil {
				t.Fatal(err)
			}
			all := map[string]cty.Value{"latency": cty.StringVal("1s")}
			if d.Name == "rate_limit" {
				all = map[string]cty.Value{"rate": cty.StringVal("1mbit")}
			}
			for k, v := range args {
				all[k] = v
			}
			if _, err := inject(t, w, d, all); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %v: %v, want %q", d.Name, args, err, want)
			}
		}
	}
}

func TestWhatIsSlowedIsSaid(t *testing.T) {
	args := map[string]cty.Value{"isolate": nodes("a", "b"), "latency": cty.StringVal("100ms"), "jitter": cty.StringVal("10ms")}
	for want, f := range map[string]struct {
		d    step.Definition
		args map[string]cty.Value
	}{
		"a, b → everyone: 100ms ± 10ms later": {delay(), args},
		"a → b: at most 1.5 Mbit/s":           {rateLimit(), map[string]cty.Value{"from": nodes("a"), "to": nodes("b"), "rate": cty.StringVal("1.5mbit")}},
		"a | b: 2s later":                     {delay(), map[string]cty.Value{"sides": sides(nodes("a"), nodes("b")), "latency": cty.StringVal("2s")}},
	} {
		w, ctx := world(), t.Context()
		intent, err := f.d.Fault.Intent(ctx, w.Env(), steptest.Args(t, f.d, f.args))
		if err != nil {
			t.Fatal(err)
		}
		if err := f.d.Fault.Inject(ctx, w.Env(), intent); err != nil {
			t.Fatal(err)
		}
		seen, err := f.d.Fault.Observe(ctx, w.Env(), intent)
		if err != nil || seen.Summary != want {
			t.Errorf("%q, %v; want %q", seen.Summary, err, want)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
