package ray

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"
)

// slow makes a port of the head refuse its first connections.
func (f *fakeCluster) slow(port string, refusals int) {
	dial := f.OnDial
	f.OnDial = func(ctx context.Context, from, network, addr string) (net.Conn, error) {
		if addr == headIP+":"+port {
			if refusals--; refusals >= 0 {
				return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
			}
		}
		return dial(ctx, from, network, addr)
	}
}

func TestRestartHeadSaysWhenWhichPartWasBack(t *testing.T) {
	f := newFake(t, nil)
	f.Exit("node.head", 1)
	f.slow("6379", 10)
	f.slow("8265", 20)
	f.reply("GET /api/version", 200, recorded(t, "version.json"))
	f.reply(serveGET, 503, "The GCS may be down")
	f.reply(serveGET, 200, recorded(t, "serve_two_starting.json"))
	f.reply(serveGET, 200, recorded(t, "serve_two.json"))
	result, err := f.act("restart_head", nil)
	if err != nil {
		t.Fatal(err)
	}
	// 10 and 20 polls of 50 ms, and two of 150 ms.
	if got, want := asJSON(t, result.Value), `{"dashboard_seconds":1.5,"gcs_seconds":0.5,"serve_seconds":1.8}`; got != want {
		t.Errorf("result %s; want %s", got, want)
	}
	if want := "GCS after 0.5 s, REST after 1.5 s, Serve after 1.8 s"; result.Summary != want {
		t.Errorf("summary %q; want %q", result.Summary, want)
	}
	if calls := f.Calls(); !slices.Equal(calls, []string{"launch node.head"}) {
		t.Errorf("calls %q", calls)
	}
}

func TestRestartHeadStopsAHeadThatRuns(t *testing.T) {
	f := newFake(t, nil)
	f.reply("GET /api/version", 200, recorded(t, "version.json"))
	f.reply(serveGET, 200, recorded(t, "serve_two.json"))
	if _, err := f.act("restart_head", nil); err != nil {
		t.Fatal(err)
	}
	if calls := f.Calls(); !slices.Equal(calls, []string{"stop node.head -1ns", "launch node.head"}) {
		t.Errorf("calls %q", calls)
	}
}

func TestRestartHeadWaitsForReadinessBeforeItAsksServe(t *testing.T) {
	f := newFake(t, nil)
	f.reply("GET /api/version", 200, recorded(t, "version.json"))
	notListed := errors.New("node.head was not ready within 60s")
	f.OnReady = func(context.Context, string) error { return notListed }
	if _, err := f.act("restart_head", nil); !errors.Is(err, notListed) {
		t.Errorf("error %v; want %v", err, notListed)
	}
}

func TestServeIsAwaitedOnlyWhereItWasDeployed(t *testing.T) {
	const none = `{"result": true, "data": {"result": {"result": []}}}`
	f := newFake(t, nil)
	f.reply("GET /api/version", 200, recorded(t, "version.json"))
	f.reply(serveGET, 200, recorded(t, "serve_empty.json"))
	f.reply("GET /api/v0/actors", 200, none)
	result, err := f.act("restart_head", nil)
	if err != nil {
		t.Fatal(err)
	}
	if v := result.Value.GetAttr("serve_seconds"); !v.IsNull() {
		t.Errorf("serve_seconds %#v; want null", v)
	}

	f = newFake(t, nil)
	f.reply("GET /api/version", 200, recorded(t, "version.json"))
	f.reply(serveGET, 200, recorded(t, "serve_empty.json")) // Ray's answer while it can't reach the controller, too
	f.reply(serveGET, 200, recorded(t, "serve_two.json"))
	f.reply("GET /api/v0/actors", 200, strings.Replace(recorded(t, "actors_controller.json"), alive, "RESTARTING", 1))
	if result, err = f.act("restart_head", nil); err != nil {
		t.Fatal(err)
	}
	if v := result.Value.GetAttr("serve_seconds"); v.IsNull() {
		t.Error("a controller that is on its way back was taken for none")
	}
}

func TestAnApplicationThatDoesNotComeBackFailsTheRestart(t *testing.T) {
	f := newFake(t, nil)
	f.reply("GET /api/version", 200, recorded(t, "version.json"))
	f.reply(serveGET, 200, recorded(t, "serve_constructor_failed.json"))
	_, err := f.act("restart_head", nil)
	if e := failed(t, err); !strings.Contains(e.Error(), "no model file") {
		t.Errorf("error %v", e)
	}
}

func TestAHeadThatExitsWhileItStartsEndsTheWait(t *testing.T) {
	f := newFake(t, nil)
	f.refuse(headIP)
	polls := 0
	dial := f.OnDial
	f.OnDial = func(ctx context.Context, from, network, addr string) (net.Conn, error) {
		if polls++; polls == 3 {
			f.Exit("node.head", 7)
		}
		return dial(ctx, from, network, addr)
	}
	_, err := f.act("restart_head", nil)
	if e := failed(t, err); e.Error() != "node.head exited with 7 while it was starting" {
		t.Errorf("error %v", e)
	}
}

func TestTimeThatRunsOutCountsAgainstRay(t *testing.T) {
	f := newFake(t, nil)
	f.refuse(headIP)
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, errors.New("the step's limit"))
	defer cancel()
	d := definition(t, "action", "restart_head")
	_, err := d.Action(ctx, f.Env(), onFakeHead(d.Args, nil))
	e := failed(t, err)
	if !strings.Contains(e.Error(), "node.head does not answer on 10.213.7.130:6379") || !strings.Contains(errors.Join(err).Error(), "refused") {
		t.Errorf("error %v", e)
	}
}

func TestWithoutADashboardTheGCSIsAll(t *testing.T) {
	f := newFake(t, map[string]cty.Value{"dashboard": cty.False})
	result, err := f.act("restart_head", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := asJSON(t, result.Value), `{"dashboard_seconds":null,"gcs_seconds":0,"serve_seconds":null}`; got != want {
		t.Errorf("result %s; want %s", got, want)
	}
}
