package ray

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

func number64(t *testing.T, v cty.Value, name string) int64 {
	t.Helper()
	n, _ := v.GetAttr(name).AsBigFloat().Int64()
	return n
}

func TestRayNodesCountsTheLivingAndTheDead(t *testing.T) {
	for name, want := range map[string][4]int64{ // alive, alive_heads, dead, nodes
		"nodes.json":               {2, 1, 0, 2},
		"nodes_after_restart.json": {2, 1, 1, 3},
	} {
		f := newFake(t, nil)
		f.reply("GET /api/v0/nodes", 200, recorded(t, name))
		v, err := f.probe("ray_nodes", nil)
		if err != nil {
			t.Fatal(err)
		}
		got := [4]int64{number64(t, v, "alive"), number64(t, v, "alive_heads"), number64(t, v, "dead"), int64(v.GetAttr("nodes").LengthInt())}
		if got != want {
			t.Errorf("%s: %v; want %v", name, got, want)
		}
	}
}

func TestARayThatDoesNotAnswerIsNoCount(t *testing.T) {
	for _, probe := range []string{"ray_nodes", "ray_actors", "ray_serve"} {
		f := newFake(t, nil)
		f.refuse(headIP)
		_, err := f.probe(probe, nil)
		if e := failed(t, err); !strings.Contains(e.Error(), "ask Ray on node.head") {
			t.Errorf("%s: %v", probe, e)
		}
	}
}

func TestALabThatBrokeIsNotRaysFailure(t *testing.T) {
	f := newFake(t, nil)
	lost := &runtime.Error{Kind: runtime.Unreachable, Err: errors.New("the daemon is gone")}
	f.OnDial = func(context.Context, string, string, string) (net.Conn, error) { return nil, lost }
	_, err := f.probe("ray_nodes", nil)
	var e *step.Error
	if !errors.Is(err, lost) || errors.As(err, &e) {
		t.Errorf("error %v; want %v without a verdict of its own", err, lost)
	}
}

func TestRayActorsAsksForTheOnesThatAreWanted(t *testing.T) {
	f := newFake(t, nil)
	f.reply("GET /api/v0/actors", 200, recorded(t, "actors_controller.json"))
	v, err := f.probe("ray_actors", map[string]cty.Value{"class": cty.StringVal("ServeController"), "state": cty.StringVal(alive)})
	if err != nil {
		t.Fatal(err)
	}
	actor := v.GetAttr("actors").Index(cty.NumberIntVal(0))
	if got := number64(t, v, "count"); got != 1 || actor.GetAttr("class").AsString() != "ServeController" || number64(t, actor, "pid") != 485 {
		t.Errorf("%#v", v)
	}
	if got, want := f.query("GET /api/v0/actors"),
		"detail=1&filter_keys=class_name&filter_keys=state&filter_predicates=%3D&filter_predicates=%3D&filter_values=ServeController&filter_values=ALIVE&limit=10000"; got != want {
		t.Errorf("asked %s; want %s", got, want)
	}
}

func TestRayServeTellsWhatRunsWhere(t *testing.T) {
	for name, want := range map[string]bool{"serve_empty.json": false, "serve_two_starting.json": false, "serve_two.json": true} {
		f := newFake(t, nil)
		f.reply(serveGET, 200, recorded(t, name))
		v, err := f.probe("ray_serve", nil)
		if err != nil {
			t.Fatal(err)
		}
		if v.GetAttr("running").True() != want {
			t.Errorf("%s: running %t; want %t", name, !want, want)
		}
		controller := v.GetAttr("controller")
		if name == "serve_empty.json" {
			if !controller.IsNull() || v.GetAttr("proxies").LengthInt() != 0 {
				t.Errorf("%s: %#v", name, v)
			}
			continue
		}
		if controller.GetAttr("ip").AsString() != headIP || v.GetAttr("proxies").LengthInt() != 2 {
			t.Errorf("%s: %#v", name, v)
		}
	}
}

func TestRayGCSAnswersWhateverStateTheHeadIsIn(t *testing.T) {
	const up = `{"pid":9,"session":"session_2026","storage":"redis","up":true}`
	const down = `{"pid":null,"session":null,"storage":"redis","up":false}`
	for name, test := range map[string]struct {
		is   func(f *fakeCluster)
		want string
	}{
		"up":             {func(*fakeCluster) {}, up},
		"down":           {func(f *fakeCluster) { f.Exit("node.head", 1) }, down},
		"without a GCS":  {func(f *fakeCluster) { f.SetProcesses("node.head") }, down},
		"does not serve": {func(f *fakeCluster) { f.refuse(headIP + ":6379") }, strings.Replace(up, "true", "false", 1)},
		"exits meanwhile": {func(f *fakeCluster) {
			f.OnProcessList = func(string) { f.Exit("node.head", 1) }
		}, down},
	} {
		f := newFake(t, map[string]cty.Value{"storage": cty.StringVal("redis"), "redis": cty.StringVal("node.redis")})
		withGCS(f, 9, nil)
		test.is(f)
		v, err := f.probe("ray_gcs", nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := asJSON(t, v); got != test.want {
			t.Errorf("%s: %s; want %s", name, got, test.want)
		}
	}
}
