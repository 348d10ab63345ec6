package docker_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/scenario-run/scenario/engine/docker"
	"github.com/scenario-run/scenario/engine/runtime"
)

// forgetful is a daemon with one network, which it can't remove for endpoints
// that are left on it.
type forgetful struct {
	mu      sync.Mutex
	listed  map[string]string // names of endpoints, by their containers
	counted int               // of those that it does not list
	there   string            // the one container that it has
	removed bool
	forced  []string
}

func (d *forgetful) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	w.Header().Set("Api-Version", "1.41")
	w.Header().Set("Content-Type", "application/json")
	answer := func(code int, text string) {
		w.WriteHeader(code)
		fmt.Fprint(w, text)
	}
	path := strings.TrimPrefix(q.URL.Path, "/v1.41")
	const network = `{"Name": "n", "Id": "0123456789abcdef", "Labels": {"scenario.run": "r"}`
	switch {
	case path == "/_ping":
	case path == "/containers/json":
		answer(200, "[]")
	case path == "/volumes":
		answer(200, "{}")
	case path == "/networks":
		answer(200, "["+network+"}]")
	case path == "/containers/"+d.there+"/json":
		answer(200, "{}")
	case strings.HasPrefix(path, "/containers/"):
		answer(404, `{"message": "No such container"}`)
	case strings.HasSuffix(path, "/disconnect"):
		var asked struct {
			Container string
			Force     bool
		}
		if err := json.NewDecoder(q.Body).Decode(&asked); err != nil || !asked.Force {
			answer(404, `{"message": "No such container"}`)
			return
		}
		d.forced = append(d.forced, asked.Container)
		for container, name := range d.listed {
			if name == asked.Container {
				delete(d.listed, container)
			}
		}
	case q.Method == http.MethodDelete && len(d.listed)+d.counted > 0:
		answer(403, `{"message": "error while removing network: network n has active endpoints"}`)
	case q.Method == http.MethodDelete:
		d.removed = true
		answer(204, "")
	default:
		endpoints := map[string]any{}
		for container, name := range d.listed {
			endpoints[container] = map[string]string{"Name": name}
		}
		text, _ := json.Marshal(endpoints) // of strings
		answer(200, network+`, "Containers": `+string(text)+"}")
	}
}

// Endpoints stay behind where a daemon was too busy when their containers went.
func TestEndpointsWithoutAContainerAreTakenOffANetwork(t *testing.T) {
	for name, test := range map[string]struct {
		daemon  *forgetful
		command string // by hand; empty: the network is removed
		reason  string
	}{
		"one that is listed":   {&forgetful{listed: map[string]string{"ep-1": "gone"}}, "", ""},
		"one that is not":      {&forgetful{counted: 1}, "sudo systemctl restart docker && docker network rm 0123456789ab", "the daemon has lost sight of them: only its restart"},
		"one of somebody else": {&forgetful{listed: map[string]string{"c1": "theirs"}, there: "c1"}, "docker network rm 0123456789ab", "has active endpoints"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := docker.New(t.Context(), docker.Options{Host: serveSocket(t, test.daemon), AgentBinary: agentBinary})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			swept, err := r.Sweep(t.Context(), runtime.Scope{Run: "r"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if test.command == "" {
				if !test.daemon.removed || len(swept.Left) > 0 {
					t.Errorf("removed %v, left %+v", test.daemon.removed, swept.Left)
				}
				return
			}
			if len(swept.Left) != 1 || swept.Left[0].Command != test.command || !strings.Contains(swept.Left[0].Reason, test.reason) {
				t.Errorf("left %+v", swept.Left)
			}
			if len(test.daemon.forced) > 0 {
				t.Errorf("took %v off", test.daemon.forced)
			}
		})
	}
}
