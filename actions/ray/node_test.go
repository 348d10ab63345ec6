package ray

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/step"
)

var update = flag.Bool("update", false, "renew the goldens")

func expand(t *testing.T, args map[string]cty.Value) (step.KindOutput, error) {
	t.Helper()
	d := definition(t, schema.NodeKind, "ray")
	f := newFake(t, nil)
	return d.NodeKind(step.KindInput{
		Args: object(d.Args, args),
		Self: step.Facts{Address: "node.self", IP: "10.0.0.9"},
		Node: f.Env().Nodes.Facts,
	})
}

func TestNodesAreStartedAsTheirBlockSays(t *testing.T) {
	str, num := cty.StringVal, cty.NumberIntVal
	head, redis := str("node.head"), str("node.redis")
	for name, args := range map[string]map[string]cty.Value{
		"head":    {"role": str("head"), "num_cpus": num(0)},
		"rocksdb": {"role": str("head"), "storage": str("rocksdb"), "storage_path": str("/gcs")},
		"redis":   {"role": str("head"), "storage": str("redis"), "redis": redis},
		"worker":  {"role": str("worker"), "head": head, "num_cpus": cty.NumberFloatVal(1.5)},
		"everything": {
			"role": str("worker"), "head": head, "num_gpus": num(2), "object_store_memory": str("1g"),
			"resources":     cty.MapVal(map[string]cty.Value{"disk": num(1), "tape": cty.NumberFloatVal(0.5)}),
			"labels":        cty.MapVal(map[string]cty.Value{"zone": str("b"), "rack": str("1")}),
			"system_config": cty.MapVal(map[string]cty.Value{"gcs_rpc_server_reconnect_timeout_s": str("60"), "x": str("1")}),
			"args":          cty.ListVal([]cty.Value{str("--min-worker-port=20000")}),
		},
		"no_dashboard": {"role": str("head"), "dashboard": cty.False},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := expand(t, args)
			if err != nil {
				t.Fatal(err)
			}
			var text strings.Builder
			fmt.Fprintf(&text, "%s\n\nshm %d\nwithin %s\nafter %v\ngate %t\n\n", strings.Join(out.Command, "\n  "), out.ShmSize, out.Within, out.StartAfter, out.Gate != nil)
			for _, k := range sortedKeys(out.Env) {
				fmt.Fprintf(&text, "%s=%s\n", k, out.Env[k])
			}
			golden(t, "node_"+name+".golden", text.String())
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (renew it with -update):\n%s", name, diff)
	}
}

func TestABlockThatDoesNotFitIsRefused(t *testing.T) {
	str := cty.StringVal
	for name, test := range map[string]struct {
		args map[string]cty.Value
		want string
	}{
		"a worker without a head": {map[string]cty.Value{"role": str("worker")}, "head = node.NAME"},
		"a head with a head":      {map[string]cty.Value{"role": str("head"), "head": str("node.head")}, "a head has no head"},
		"redis without a redis":   {map[string]cty.Value{"role": str("head"), "storage": str("redis")}, "redis = node.NAME"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := expand(t, test.args); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v; want one with %q", err, test.want)
			}
		})
	}
}

// kindOutput is what the kind makes of a node of the fake cluster.
func kindOutput(t *testing.T, f *fakeCluster, node string) step.KindOutput {
	t.Helper()
	_, args := f.Env().Nodes.Kind(node)
	out, err := definition(t, schema.NodeKind, "ray").NodeKind(step.KindInput{
		Args: args, Self: f.Env().Nodes.Facts(node), Node: f.Env().Nodes.Facts,
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAGateOpensWhenThePortBehindItAnswers(t *testing.T) {
	redis := map[string]cty.Value{"storage": cty.StringVal("redis"), "redis": cty.StringVal("node.redis")}
	const behind = "10.213.7.132:6379"
	f := newFake(t, redis)
	gate := kindOutput(t, f, "node.head").Gate
	f.refuse(behind)
	if err := gate(t.Context(), f.Env()); err == nil || !strings.Contains(err.Error(), behind) {
		t.Errorf("the gate says %v while %s refuses", err, behind)
	}
	f.refuse()
	if err := gate(t.Context(), f.Env()); err != nil {
		t.Errorf("the gate says %v while %s answers", err, behind)
	}
}

// nodeList is Ray's list with one entry for a node.
func nodeList(ip, state string, started time.Time) string {
	return fmt.Sprintf(`{"result": true, "msg": "", "data": {"result": {"result": [
		{"node_id": "n1", "node_ip": %q, "is_head_node": true, "state": %q, "start_time_ms": %d, "resources_total": {}}
	]}}}`, ip, state, started.UnixMilli())
}

func TestANodeIsReadyWhenRayListsItSinceItsPresentStart(t *testing.T) {
	const nodes = "GET /api/v0/nodes"
	for _, node := range []string{"node.head", "node.worker"} {
		ip := map[string]string{"node.head": headIP, "node.worker": workerIP}[node]
		t.Run(node, func(t *testing.T) {
			f := newFake(t, nil)
			started := f.Clock.Now()
			f.reply("GET /api/version", 200, recorded(t, "version.json"))
			f.reply(nodes, 200, nodeList("10.0.0.1", alive, started.Add(time.Second)))
			f.reply(nodes, 200, nodeList(ip, dead, started.Add(time.Second)))
			f.reply(nodes, 200, nodeList(ip, alive, started.Add(-time.Minute)))
			f.reply(nodes, 500, "not yet")
			f.reply(nodes, 200, `{"result": false, "msg": "Failed to connect to the GCS"}`)
			f.reply(nodes, 200, nodeList(ip, alive, started.Add(time.Second)))
			ready := kindOutput(t, f, node).Ready
			for _, want := range []string{"is not ALIVE", "is not ALIVE", "only as it was before this start", "500 not yet", "Failed to connect to the GCS"} {
				if err := ready(t.Context(), f.Env()); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("ready says %v; want %q", err, want)
				}
			}
			if err := ready(t.Context(), f.Env()); err != nil {
				t.Errorf("ready says %v of a node that is listed since its start", err)
			}
		})
	}
}

func TestANodeWhoseRayletDoesNotListenIsNotLookedUp(t *testing.T) {
	f := newFake(t, nil)
	f.refuse(workerIP + ":9379")
	if err := kindOutput(t, f, "node.worker").Ready(t.Context(), f.Env()); err == nil {
		t.Error("a worker without a raylet is ready")
	}
	if n := f.count("GET /api/v0/nodes"); n != 0 {
		t.Errorf("the head was asked %d times for nothing", n)
	}
}

func TestWithoutADashboardANodeIsReadyWhenItsRayletListens(t *testing.T) {
	for _, node := range []string{"node.head", "node.worker"} {
		f := newFake(t, map[string]cty.Value{"dashboard": cty.False})
		ready := kindOutput(t, f, node).Ready
		f.refuse(headIP+":9379", workerIP+":9379")
		if err := ready(t.Context(), f.Env()); err == nil {
			t.Errorf("%s is ready without a raylet", node)
		}
		f.refuse()
		if err := ready(t.Context(), f.Env()); err != nil {
			t.Errorf("%s with a raylet: %v", node, err)
		}
	}
}
