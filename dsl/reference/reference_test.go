package reference_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mattn/go-runewidth"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/reference"
	"github.com/scenario-run/scenario/dsl/schema"
)

var update = flag.Bool("update", false, "write what came out as what is expected")

// small is a vocabulary with a bit of everything.
func small() *reference.Language {
	return reference.New(schema.NewVocabulary(
		schema.Type{
			Kind: schema.Fault, Name: "kill", Summary: "sends a signal to the main process of nodes, which must exit",
			Doc:   "Active when every node was seen to have exited.\n\n- with `SIGKILL` at once\n- with `SIGTERM` when they obey\n\nEnded by `start`, `restart` and `heal`.",
			Takes: []schema.Resource{schema.Down},
			Args: schema.Object{
				Attrs: []schema.Attr{
					{Name: "nodes", Ref: schema.RefNodes, Required: true, Doc: "The nodes to kill."},
					{Name: "signal", Type: cty.String, Format: schema.Signal, Default: cty.StringVal("SIGKILL"), Doc: "The signal that their main processes get."},
					{Name: "how", Type: cty.String, Enum: []string{"hard", "soft"}, Doc: "In which way."},
				},
				Blocks: []schema.Block{{Name: "limit", Repeated: true, Doc: "A limit.", Body: schema.Object{Attrs: []schema.Attr{
					{Name: "most", Type: cty.Number, Required: true, Doc: "How many at most."},
				}}}},
			},
			Result: func(cty.Value) schema.Object {
				return schema.Object{Attrs: []schema.Attr{{Name: "processes", Doc: "What was hit.",
					Type:   cty.List(cty.Object(map[string]cty.Type{"pid": cty.Number})),
					Fields: []schema.Attr{{Name: "pid", Type: cty.Number, Doc: "Its number."}},
				}}}
			},
			Examples: []schema.Example{{Title: "Down", Text: "scenario \"x\" {}\n\naction \"kill\" \"outage\" {\n  nodes = [node.web]\n}\n"}},
		},
		schema.Type{Kind: schema.Probe, Name: "http", Summary: "what an HTTP server answers", Doc: "日本語の説明 の幅 は 二倍 である ので 折り返し も そう です."},
		schema.Type{Kind: schema.Workload, Name: "http", Summary: "asks all the time", Result: func(cty.Value) schema.Object { return schema.Statistics(cty.DynamicPseudoType) }},
		schema.Type{Kind: schema.NodeKind, Name: "ray", Summary: "a node of a Ray cluster"},
	))
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("differs from %s (-want +got), -update renews it:\n%s", path, d)
	}
}

func text(t *testing.T, topics []reference.Topic, s reference.Style) string {
	t.Helper()
	var b bytes.Buffer
	if err := reference.Text(&b, topics, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestATopicIsLaidOutForItsWidth(t *testing.T) {
	l := small()
	for _, width := range []int{40, 80, 120} {
		golden(t, fmt.Sprintf("kill_%d.txt", width), text(t, l.Find("kill"), reference.Style{Width: width}))
	}
	golden(t, "http_40.txt", text(t, l.Find("http"), reference.Style{Width: 40}))
	golden(t, "kill_color.txt", text(t, l.Find("kill"), reference.Style{Width: 80, Color: true}))
	golden(t, "not_utf8.txt", text(t, l.Find("SCN0104"), reference.Style{}))
}

func TestTheOverviewShowsEveryKind(t *testing.T) {
	var b bytes.Buffer
	if err := small().Overview(&b, reference.Style{Width: 80}); err != nil {
		t.Fatal(err)
	}
	golden(t, "overview.txt", b.String())
}

// What is copied, and what can't be broken, may be wider.
func TestNoLineOfProseIsWiderThanTheTerminal(t *testing.T) {
	for _, width := range []int{40, 80, 120} {
		for _, topic := range small().Topics() {
			topic.Usage, topic.Examples = "", nil
			for line := range strings.Lines(text(t, []reference.Topic{topic}, reference.Style{Width: width})) {
				line = strings.TrimRight(line, "\n")
				breakable := strings.Contains(strings.TrimSpace(line), " ") && !strings.Contains(line, "`")
				if n := runewidth.StringWidth(line); n > width && breakable {
					t.Errorf("%s %s, width %d: %d columns in %q", topic.Kind, topic.Name, width, n, line)
				}
			}
		}
	}
}

func TestAWordMeansAllThatHasItsName(t *testing.T) {
	l := small()
	for _, tt := range []struct{ words, want string }{
		{"http", "probe http, workload http, argument http"},
		{"probe http", "probe http"},
		{"probes http", "probe http"},
		{"kill", "fault kill"},
		{"action kill", "fault kill"},
		{"fault kill", "fault kill"},
		{"probe kill", ""},
		{"node kind ray", "node kind ray"},
		{"count", "reference count, argument count, format count"},
		{"scn0203", "code SCN0203"},
		{"error_rate", "statistic error_rate"},
		{"ip", "attribute ip"},
		{"during", "function during"},
		{"retry", "block retry"},
		{"nothing", ""},
		{"string", "value type string"},
		{"positive duration", "format positive_duration"},

		{"list(string)", "value type list"},
		{"during(workload.w,action.f)", "function during"},
		{"during(workload.w,action.f).failed", "attribute during.failed"},
		{"include", "block include, argument include"},
		{"kill.signal", "argument kill.signal"},
		{"kill signal", "argument kill.signal"},
		{"action.kill.signal", "argument kill.signal"},
		{"fault.kill", "fault kill"},
		{"workload.http", "workload http"},
		{"node.ray", "node kind ray"},
		{"http.ok", "attribute http.ok"},
		{"kill.limit.most", "argument kill.limit.most"},
		{"kill.processes.pid", "attribute kill.processes.pid"},
		{"kill.retry", "block kill.retry"},
		{"node.image", "argument node.image, attribute node.image"},
		{"node.ready.http", "argument node.ready.http"},
		{"during.failed", "attribute during.failed"},
		{"kill.nothing", ""},
		{"action.kill.nothing", ""},
		{"probe kill", ""},

		{"var.replicas", "block variable"},
		{"node.web[0]", "block node"},
		{`node.web["a"].ip`, "attribute node.ip"},
		{"action.outage.state", "attribute action.state"},
		{"action.outage.processes", "attribute kill.processes"},
		{"workload.clients.error_rate", "attribute workload.error_rate"},
		{"scenario.name", "attribute scenario.name"},
		{"each.key", "attribute each.key"},
		{"kill.", ""},
		{".kill", ""},
	} {
		var got []string
		for _, topic := range l.Find(strings.Fields(tt.words)...) {
			got = append(got, string(topic.Kind)+" "+topic.Name)
		}
		if strings.Join(got, ", ") != tt.want {
			t.Errorf("%s: %s, want %s", tt.words, strings.Join(got, ", "), tt.want)
		}
	}
	if k, ok := reference.KindOf("node", "kinds"); !ok || k != reference.NodeKindTopic {
		t.Error("node kinds are no kind")
	}
	for word, want := range map[string]string{
		"container": "node", "crash": "kill", "kil": "kill", "kill.sginal": "kill.signal", "klil.signal": "kill.signal", "action.kill.sginal": "action.kill.signal",
		"kill.limit.mots": "", "kill.xyzzy": "", "xyzzy.signal": "",
	} {
		if got := l.Suggest(word); got != want {
			t.Errorf("%s suggests %q, want %q", word, got, want)
		}
	}
	golden(t, "kill_signal_80.txt", text(t, l.Find("kill.signal"), reference.Style{Width: 80}))
	golden(t, "node_image_80.txt", text(t, l.Find("node.image"), reference.Style{Width: 80}))
}
