// Package layers checks which packages may import which, so that the way from
// a file to a result stays one way. The table is the one in
// docs/architecture.md.
package layers

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/scenario-run/scenario/"

// allowed has, for each folder, the folders of this module that it and what is
// below it may import. The longest matching folder counts; what has the same
// one may import each other.
var allowed = map[string][]string{
	"cmd/scenario":               {""},
	"bench":                      {""},
	"e2e":                        {""},
	"scenarios":                  {},
	"internal":                   {},
	"dsl/schema":                 {},
	"dsl/syntax":                 {},
	"dsl/diag":                   {"dsl/syntax"},
	"dsl/source":                 {"dsl/diag", "dsl/syntax"},
	"dsl/format":                 {"dsl/source"},
	"dsl/funcs":                  {"dsl/diag", "dsl/syntax"},
	"dsl/lang":                   {"dsl/schema", "dsl/diag", "dsl/source", "dsl/funcs", "dsl/syntax"},
	"dsl/reference":              {"dsl/schema", "dsl/diag", "dsl/funcs", "dsl/lang"},
	"engine/event":               {},
	"engine/runtime":             {},
	"engine/runtime/fake":        {"engine/runtime", "engine/link", "engine/lookup", "engine/disk", "engine/process"},
	"engine/runtime/conformance": {"engine/runtime", "engine/disk"},
	"engine/link":                {},
	"engine/lookup":              {},
	"engine/disk":                {},
	"engine/process":             {},
	"engine/step":                {"dsl/schema", "dsl/funcs", "engine/runtime", "engine/event", "engine/link", "engine/lookup", "engine/disk", "engine/process"},
	"engine/dag":                 {},
	"engine/plan":                {"dsl", "engine/dag"},
	"engine/traffic":             {"engine/event"},
	"engine/workload":            {"engine/event", "engine/traffic", "dsl/schema"},
	"engine/fault":               {"dsl/schema", "engine/step", "engine/runtime"},
	"engine/guardian":            {"dsl/schema", "engine/fault", "engine/runtime", "engine/step"},
	"engine/machine":             {"engine/link", "engine/runtime"},
	"engine/doctor":              {"dsl/schema", "engine/disk", "engine/guardian", "engine/machine", "engine/runtime", "engine/link"},
	"engine/docker":              {"engine/runtime", "engine/agent"},
	"engine/agent":               {"engine/traffic", "engine/runtime", "engine/link", "engine/lookup", "engine/disk", "engine/process"},
	"engine/report":              {"engine/event"},
	"engine":                     {"dsl", "engine/plan", "engine/step", "engine/fault", "engine/guardian", "engine/machine", "engine/workload", "engine/traffic", "engine/runtime", "engine/event", "engine/link", "engine/lookup", "engine/disk", "engine/process"},
	"actions":                    {"engine/step", "dsl/schema", "engine/traffic", "engine/runtime", "engine/link", "engine/lookup", "engine/disk", "engine/process"},
	"engine/step/steptest":       {"engine/step", "engine/runtime", "dsl/schema", "engine/link", "engine/lookup", "engine/disk", "engine/process"},
}

func TestPackagesImportOnlyWhatTheirPlaceAllows(t *testing.T) {
	for _, p := range packages(t) {
		place, ok := placeOf(p.folder())
		if !ok {
			t.Errorf("%s has no place in the table of this test", p.ImportPath)
			continue
		}
		for _, imported := range p.Imports {
			folder, ours := strings.CutPrefix(imported, module)
			if own, _ := placeOf(folder); !ours || own == place {
				continue
			}
			if !slices.ContainsFunc(allowed[place], func(a string) bool { return within(folder, a) }) {
				t.Errorf("%s imports %s, which its place (%s) does not allow", p.folder(), folder, place)
			}
		}
	}
}

type goPackage struct {
	ImportPath string
	Imports    []string
}

func (p goPackage) folder() string { return strings.TrimPrefix(p.ImportPath, module) }

func packages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []goPackage
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if len(all) < 10 {
		t.Fatalf("go list found only %d packages", len(all))
	}
	return all
}

func placeOf(folder string) (string, bool) {
	for f := folder; ; {
		if _, ok := allowed[f]; ok {
			return f, true
		}
		i := strings.LastIndexByte(f, '/')
		if i < 0 {
			return "", false
		}
		f = f[:i]
	}
}

func within(folder, parent string) bool {
	return parent == "" || folder == parent || strings.HasPrefix(folder, parent+"/")
}
