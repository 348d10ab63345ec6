package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/actions"
	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/guardian"
	"github.com/scenario-run/scenario/engine/link"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/runtime/fake"
	"github.com/scenario-run/scenario/engine/step"
)

var update = flag.Bool("update", false, "write the expected output of scripts anew")

// The scripts run the program's own main in a process of its own, in a world
// whose runtime is in memory.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"scenario": func() { os.Exit(run(inMemory())) },
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: false,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code": code, "scrub": scrub, "bad": badFile, "large": largeFile, "crlf": crlf,
		},
		Setup: func(e *testscript.Env) error {
			// What a script is run in must not depend on who runs the tests.
			for _, name := range append(colourfulCI, "CI", "NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "SCENARIO_HOME") {
				e.Setenv(name, "")
			}
			return nil
		},
	})
}

// code runs scenario and checks its exit code: code 3 run bad.hcl.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: code N ARG...")
	}
	err := ts.Exec("scenario", args[1:]...)
	got := "0"
	if err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
}

var changing = []struct {
	is *regexp.Regexp
	by string
}{
	{regexp.MustCompile(`\b\d{6}-\d{6}-[0-9a-z]{4}\b`), "RUN"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\d \d\d:\d\d\b`), "DATE"},
	{regexp.MustCompile(`timestamp="[^"]+"`), `timestamp="T"`},
	{regexp.MustCompile(`--seed \d+`), "--seed N"},
	{regexp.MustCompile(`(?m) *\+\d+\.\ds`), "   +T"},
	// A step that takes no time at all has no duration in its line.
	{regexp.MustCompile(`(?m) +\d+\.\ds$`), ""},
	{regexp.MustCompile(`(PASSED|FAILED|ERROR|INCONCLUSIVE|CANCELLED)  \d+\.\ds`), "$1  T"},
	{regexp.MustCompile(`\d+\.\ds  `), "T  "},
}

// scrub copies what a command printed to a file, with a name in place of each
// time, run and seed: scrub stdout FILE; or what stands
// in a file.
func scrub(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: scrub stdout|stderr|FILE FILE")
	}
	text := ts.ReadFile(args[0])
	for _, c := range changing {
		text = c.is.ReplaceAllString(text, c.by)
	}
	text = strings.ReplaceAll(text, ts.Getenv("WORK"), "$WORK")
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o644))
}

// badFile writes a file that is not UTF-8, largeFile one of 10 MB.
func badFile(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte("scenario \"a\" {}\n# caf\xe9\n"), 0o644))
}

func largeFile(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), bytes.Repeat([]byte("# 10 MB\n"), 10<<20/8), 0o644))
}

// crlf copies a file as an editor on Windows would save it.
func crlf(ts *testscript.TestScript, _ bool, args []string) {
	text := "\ufeff" + strings.ReplaceAll(ts.ReadFile(args[0]), "\n", "\r\n")
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o644))
}

// inMemory is the system's world, except that nodes live in this process.
// Variables of the environment that only this program knows make things go
// wrong.
func inMemory() *world {
	w := system()
	w.load = nil // which would be that of the tests
	rt := fake.New(fake.Options{Fail: fail(w), Script: script, Image: image, Made: []string{"scenario/old:1", "scenario/old:2"}, Lacks: lacks(w)})
	w.runtime = func() (runtime.Runtime, error) {
		if why := w.env("FAKE_UNREACHABLE"); why != "" {
			return nil, &runtime.Error{Kind: runtime.Unreachable, Op: "connect", Err: errors.New(why), Hint: "Start it."}
		}
		return rt, leftovers(w, rt)
	}
	w.guard = func(guardian.Config) (func() error, error) { return func() error { return nil }, nil }
	w.registry = func() *step.Registry { return step.NewRegistry(append(actions.Definitions(), panics())) }
	if w.env("FAKE_PANIC") != "" {
		w.registry = func() *step.Registry { panic("a mistake in the program") }
	}
	return w
}

// panics is an action with a bug.
func panics() step.Definition {
	return step.Definition{
		Type: schema.Type{Kind: schema.Action, Name: "panic"},
		Action: func(context.Context, *step.Env, cty.Value) (step.Result, error) {
			panic("a mistake in an action")
		},
	}
}

// lacks is what the kernel can't do.
func lacks(w *world) link.Kernel {
	k := link.Kernel{}
	for name := range strings.SplitSeq(w.env("FAKE_LACKS"), ",") {
		k[link.Ability(name)] = "this kernel has no " + name
	}
	return k
}

// leftovers are what an earlier run left, as "RUN=host/boot/pid/start".
func leftovers(w *world, rt runtime.Runtime) error {
	for entry := range strings.FieldsSeq(w.env("FAKE_LEFT")) {
		id, owner, _ := strings.Cut(entry, "=")
		if owner == "self" {
			owner = guardian.Owner()
		}
		scope := runtime.Scope{Run: id, Variant: "v", Owner: owner, Expires: w.now()}
		if _, err := rt.CreateNetwork(context.Background(), scope, runtime.NetworkSpec{Name: "default"}); err != nil {
			return err
		}
	}
	return nil
}

func fail(w *world) func(context.Context, string, string) error {
	return func(_ context.Context, op, address string) error {
		if w.env("FAKE_FAIL") == op {
			return &runtime.Error{Kind: runtime.Internal, Op: op + " " + address, Err: errors.New("the place says no")}
		}
		return nil
	}
}

// script makes nodes whose image says so exit, or refuse commands.
func script(spec runtime.NodeSpec) fake.Script {
	switch spec.Image {
	case "exits:1":
		return fake.Script{
			Prints: []string{"starting", "cannot open /data: no space left on device"},
			Exits:  func(int) (int, bool) { return 3, true },
		}
	case "refuses:1":
		return fake.Script{Exec: func(context.Context, runtime.ExecSpec) (runtime.ExecResult, error) {
			return runtime.ExecResult{ExitCode: 7, Stderr: []byte("no such table\n")}, nil
		}}
	}
	return fake.Script{}
}

func image(_ context.Context, spec runtime.ImageSpec, progress func(runtime.Progress)) (runtime.Image, error) {
	if spec.Build != nil {
		if progress != nil {
			progress(runtime.Progress{Text: "RUN make", Stage: true})
		}
		return runtime.Image{}, &runtime.Error{
			Kind: runtime.BuildFailed, Op: "build image." + spec.Name, Err: errors.New("make ended with code 2"),
			Detail: "step 3/4: RUN make\nmake: *** No rule to make target 'all'.  Stop.", Hint: "See " + spec.Build.Context + "/Dockerfile.",
		}
	}
	return runtime.Image{Ref: spec.Pull, Digest: "sha256:0123456789abcdef", How: "local"}, nil
}
