package engine

import (
	"os"
	"path/filepath"
	"testing"
)

func TestManifestsAreTheNewestFirstAndLeaveOutWhatIsNoRun(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("old/run.json", `{"run": "old", "began": "2026-01-01T10:00:00Z", "result": {"state": "passed", "variants": [{"scenario": "s", "state": "passed"}]}}`)
	write("new/run.json", `{"run": "new", "began": "2026-01-02T10:00:00Z"}`)
	write("beginning/events.ndjson", "")
	write("a file", "")
	if err := os.Symlink("new", filepath.Join(dir, "latest")); err != nil {
		t.Fatal(err)
	}
	all, err := Manifests(dir)
	if err != nil || len(all) != 2 || all[0].Run != "new" || all[1].Run != "old" {
		t.Fatalf("got %+v, %v", all, err)
	}
	if all[0].Result != nil || all[1].Result.Variants[0].State != "passed" {
		t.Errorf("results: %+v, %+v", all[0].Result, all[1].Result)
	}
	if all, err := Manifests(filepath.Join(dir, "none")); all != nil || err != nil {
		t.Errorf("of no directory: %v, %v", all, err)
	}
	write("torn/run.json", `{"run":`)
	if all, err := Manifests(dir); err == nil || len(all) != 2 {
		t.Errorf("with one that can't be read: %d others, %v", len(all), err)
	}
}
