package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// oldRun makes a run's directory as one left it; an empty manifest is none.
func oldRun(t *testing.T, home string, n int, manifest string) string {
	t.Helper()
	id := fmt.Sprintf("260101-%06d-aaaa", n)
	dir := filepath.Join(home, id, "s", "default")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if manifest != "" {
		if err := os.WriteFile(filepath.Join(home, id, "run.json"), []byte(manifest), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return id
}

func TestOldRunsGoAndThoseThatSomebodyMayNeedStay(t *testing.T) {
	const (
		passed = `{"owner":"nohost/b/1/1","result":{"state":"passed","exit_code":0}}`
		failed = `{"owner":"nohost/b/1/1","result":{"state":"failed","exit_code":1}}`
	)
	live := fmt.Sprintf(`{"owner":%q}`, Owner())
	home := t.TempDir()
	exists := map[string]bool{}
	exists[oldRun(t, home, 1, failed)] = false // more than 200 ago
	exists[oldRun(t, home, 2, live)] = true
	exists[oldRun(t, home, 3, passed)] = true // latest leads to it
	if err := os.Symlink("260101-000003-aaaa", filepath.Join(home, "latest")); err != nil {
		t.Fatal(err)
	}
	exists[oldRun(t, home, 4, "")] = true // just made, by somebody
	for n := range 5 {
		exists[oldRun(t, home, 10+n, failed)] = false
	}
	for n := range 150 {
		exists[oldRun(t, home, 100+n, map[bool]string{true: passed, false: failed}[n%2 == 0])] = n%2 == 1
	}
	for n := range keptRuns {
		exists[oldRun(t, home, 1000+n, passed)] = true
	}
	for _, other := range []string{"mine", "260101-000000-aaaa.txt"} {
		if err := os.Mkdir(filepath.Join(home, other), 0o755); err != nil {
			t.Fatal(err)
		}
		exists[other] = true
	}
	if err := PruneRuns(home, time.Now()); err != nil {
		t.Fatal(err)
	}
	for name, want := range exists {
		if _, err := os.Stat(filepath.Join(home, name)); (err == nil) != want {
			t.Errorf("%s: there %v, want %v", name, err == nil, want)
		}
	}
}

func TestTwoRunsThatPruneAtOnceDoNotMind(t *testing.T) {
	home := t.TempDir()
	for n := range 120 {
		oldRun(t, home, n, `{"owner":"nohost/b/1/1","result":{"state":"passed","exit_code":0}}`)
	}
	errs := make(chan error)
	for range 4 {
		go func() { errs <- PruneRuns(home, time.Now()) }()
	}
	for range 4 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	left, err := os.ReadDir(home)
	if err != nil || len(left) != keptRuns {
		t.Errorf("%d are left, %v", len(left), err)
	}
}
