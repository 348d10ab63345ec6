package network

import (
	"context"
	"errors"
	"net"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step/steptest"
)

func ask(t *testing.T, ctx context.Context, w *steptest.World, args map[string]cty.Value) (cty.Value, error) {
	t.Helper()
	d := tcp()
	return d.Probe(ctx, w.Env(), steptest.Args(t, d, args))
}

func TestAConnectionThatIsMadeIsOk(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	v, err := ask(t, t.Context(), steptest.New(), map[string]cty.Value{"target": cty.StringVal(l.Addr().String())})
	if err != nil {
		t.Fatal(err)
	}
	if v.GetAttr("ok").False() || !v.GetAttr("class").IsNull() || v.GetAttr("latency_seconds").IsNull() {
		t.Errorf("got %#v", v)
	}
	l.Close()
	v, err = ask(t, t.Context(), steptest.New(), map[string]cty.Value{"target": cty.StringVal(l.Addr().String())})
	if err != nil {
		t.Fatal(err)
	}
	if v.GetAttr("ok").True() || v.GetAttr("class").AsString() != "refused" || !v.GetAttr("latency_seconds").IsNull() {
		t.Errorf("nobody listens: %#v", v)
	}
}

func TestAConnectionComesFromWhereItIsSaid(t *testing.T) {
	for _, from := range []string{"", "node.web", "host"} {
		w := steptest.New(steptest.Node{Address: "node.web"})
		w.OnDial = func(_ context.Context, got, network, address string) (net.Conn, error) {
			if got != from || network != "tcp" || address != "web:80" {
				t.Errorf("dialled %s %s from %q, want from %q", network, address, got, from)
			}
			return nil, errors.New("no")
		}
		args := map[string]cty.Value{"target": cty.StringVal("web:80")}
		if from != "" {
			args["from"] = cty.StringVal(from)
		}
		if _, err := ask(t, t.Context(), w, args); err != nil {
			t.Error(err)
		}
	}
}

func TestHowAConnectionFailedIsAnAnswerUnlessTheLabBroke(t *testing.T) {
	for _, tt := range []struct {
		err    error
		class  string
		broken bool
	}{
		{err: context.DeadlineExceeded, class: "timeout"},
		{err: &net.DNSError{IsNotFound: true}, class: "dns"},
		{err: &runtime.Error{Kind: runtime.NotRunning, Err: errors.New("node.web is down")}, class: "down"},
		{err: &runtime.Error{Kind: runtime.Unreachable, Err: errors.New("no daemon")}, broken: true},
	} {
		w := steptest.New()
		w.OnDial = func(context.Context, string, string, string) (net.Conn, error) { return nil, tt.err }
		v, err := ask(t, t.Context(), w, map[string]cty.Value{"target": cty.StringVal("web:80")})
		if (err != nil) != tt.broken {
			t.Errorf("%v: error %v", tt.err, err)
		}
		if err == nil && v.GetAttr("class").AsString() != tt.class {
			t.Errorf("%v: class %s, want %s", tt.err, v.GetAttr("class").AsString(), tt.class)
		}
	}
}

func TestAStepThatIsEndedIsNoTimeout(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := ask(t, ctx, steptest.New(), map[string]cty.Value{"target": cty.StringVal("127.0.0.1:1")})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
