package files

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/engine/step"
	"github.com/scenario-run/scenario/engine/step/steptest"
)

type given = map[string]cty.Value

func definition(t *testing.T, name string) step.Definition {
	t.Helper()
	for _, d := range Definitions() {
		if d.Name == name {
			return d
		}
	}
	t.Fatalf("no definition %s", name)
	return step.Definition{}
}

func text(s string) cty.Value { return cty.StringVal(s) }

func world(n steptest.Node) *steptest.World {
	n.Address = "node.a"
	return steptest.New(n)
}

// run runs copy.
func run(t *testing.T, w *steptest.World, args given) (step.Result, error) {
	t.Helper()
	d := definition(t, "copy")
	args["node"], args["to"] = text("node.a"), text("/etc/x")
	return d.Action(t.Context(), w.Env(), steptest.Args(t, d, args))
}

// ask asks a probe of node.a.
func ask(t *testing.T, w *steptest.World, name string, args given) cty.Value {
	t.Helper()
	d := definition(t, name)
	args["node"] = text("node.a")
	v, err := d.Probe(t.Context(), w.Env(), steptest.Args(t, d, args))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestCopyPutsContentOrAFileIntoANode(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "app.conf"), []byte("from a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string]given{
		"from a file": {"from": text(filepath.Join(dir, "app.conf"))}, "said": {"content": text("said")}, "": {"content": text("")},
	} {
		w := world(steptest.Node{})
		w.Exit("node.a", 0) // it need not run
		r, err := run(t, w, args)
		if err != nil || r.Value.GetAttr("path").AsString() != "/etc/x" || !r.Value.GetAttr("bytes").RawEquals(cty.NumberIntVal(int64(len(want)))) {
			t.Errorf("%+v, %v", r, err)
		}
		if v := ask(t, w, "file", given{"path": text("/etc/x")}); v.GetAttr("content").AsString() != want {
			t.Errorf("%#v, want %q", v, want)
		}
	}
}

func TestWhatCanBeExecutedHereCanBeInTheNode(t *testing.T) {
	for mode, want := range map[os.FileMode]bool{0o755: true, 0o700: true, 0o600: false, 0o655: false} {
		name := filepath.Join(t.TempDir(), "program")
		if err := os.WriteFile(name, nil, mode); err != nil {
			t.Fatal(err)
		}
		w := world(steptest.Node{})
		if _, err := run(t, w, given{"from": text(name)}); err != nil {
			t.Error(err)
		}
		if got := slices.Contains(w.Calls(), "write node.a /etc/x, executable"); got != want {
			t.Errorf("%o: executable: %v", mode, got)
		}
	}
}

func TestAFileThatIsTooLargeIsNotRead(t *testing.T) {
	name := filepath.Join(t.TempDir(), "large")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Truncate(mostCopied+1), f.Close()); err != nil { // it has no blocks
		t.Fatal(err)
	}
	_, err = run(t, world(steptest.Node{}), given{"from": text(name)})
	var e *step.Error
	if !errors.As(err, &e) || e.Verdict != step.Failed || !strings.Contains(err.Error(), "the most is 268435456") {
		t.Errorf("got %v", err)
	}
}

func TestWhatCanNotBeCopied(t *testing.T) {
	dir := t.TempDir()
	none := filepath.Join(dir, "none")
	for name, want := range map[string]string{none: "there is no file " + none, dir: "is not a file"} {
		_, err := run(t, world(steptest.Node{}), given{"from": text(name)})
		var e *step.Error
		if !errors.As(err, &e) || e.Verdict != step.Failed || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want a failure that says %q", err, want)
		}
	}
	d := definition(t, "copy")
	null := cty.NullVal(cty.String)
	for _, args := range []given{{"from": null, "content": null}, {"from": text("a"), "content": text("b")}} {
		if d.Check(cty.ObjectVal(args)) == nil {
			t.Errorf("%#v is taken", args)
		}
	}
	to, _ := d.Args.Attr("to")
	for _, bad := range []string{"etc/x", "/", "/a/../b"} {
		if to.Refuse(text(bad)) == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}

func TestAFileIsToldWithWhatIsTextOfIt(t *testing.T) {
	long := strings.Repeat("x", shown-1)
	w := world(steptest.Node{Files: map[string][]byte{
		"/text": []byte("grün"), "/binary": {0xff, 0}, "/long": []byte(long + "ü"), "/empty": {},
	}})
	for path, want := range map[string]struct {
		content   string
		null, cut bool
	}{"/text": {"grün", false, false}, "/binary": {"", true, false}, "/long": {long, false, true}, "/empty": {"", false, false}} {
		v := ask(t, w, "file", given{"path": text(path)})
		c := v.GetAttr("content")
		if c.IsNull() != want.null || !want.null && c.AsString() != want.content || v.GetAttr("truncated").True() != want.cut || v.GetAttr("exists").False() {
			t.Errorf("%s: null %v, truncated %#v", path, c.IsNull(), v.GetAttr("truncated"))
		}
	}
	v := ask(t, w, "file", given{"path": text("/binary")})
	sum := sha256.Sum256([]byte{0xff, 0})
	if v.GetAttr("sha256").AsString() != hex.EncodeToString(sum[:]) || !v.GetAttr("size").RawEquals(cty.NumberIntVal(2)) {
		t.Errorf("%#v", v)
	}
	if v := ask(t, w, "file", given{"path": text("/none")}); v.GetAttr("exists").True() || !v.GetAttr("size").IsNull() || !v.GetAttr("content").IsNull() {
		t.Errorf("one that is not there: %#v", v)
	}
}

func TestLogsAreCountedByWhatTheyMatch(t *testing.T) {
	w := world(steptest.Node{Log: []string{"up", "error 1", "fine", "error 2"}})
	v := ask(t, w, "logs", given{"match": text("^error")})
	if !v.GetAttr("count").RawEquals(cty.NumberIntVal(2)) || v.GetAttr("last").AsString() != "error 2" || v.GetAttr("lines").LengthInt() != 2 {
		t.Errorf("%#v", v)
	}
	v = ask(t, w, "logs", given{"match": text("nothing")})
	if !v.GetAttr("count").RawEquals(cty.Zero) || !v.GetAttr("last").IsNull() {
		t.Errorf("%#v", v)
	}
	if v := ask(t, w, "logs", given{"since": text("action.never")}); !v.GetAttr("count").RawEquals(cty.Zero) {
		t.Errorf("since a step that was not started: %#v", v)
	}
}

func TestOnlyTheLastLinesAreKeptAndAllAreCounted(t *testing.T) {
	w := world(steptest.Node{Log: strings.Split(strings.Repeat("x ", 249)+"x", " ")})
	v := ask(t, w, "logs", given{})
	if !v.GetAttr("count").RawEquals(cty.NumberIntVal(250)) || v.GetAttr("lines").LengthInt() != remembered {
		t.Errorf("%#v", v.GetAttr("count"))
	}
}
