package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// full is a standard output that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestACommandFailsIfItsOutputCantBeWritten(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "ok.hcl")
	if err := os.WriteFile(file, []byte("scenario \"ok\" {}\n\naction \"sleep\" \"a\" {\n  for = \"1s\"\n}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"--help", "--version", "help run", "run --help", "version", "version --json", "validate FILE", "validate --json FILE",
		"plan FILE", "graph FILE", "list FILE", "list --json FILE", "explain", "explain kill", "schema --json", "completion bash", "doctor",
		"clean", "new DIR/more",
	} {
		t.Run(line, func(t *testing.T) {
			var stderr bytes.Buffer
			w := inMemory()
			w.args = strings.Fields(strings.NewReplacer("FILE", file, "DIR", dir).Replace(line))
			w.dir, w.environ, w.stdin, w.stdout, w.stderr = dir, nil, strings.NewReader(""), full{}, &stderr
			if code := run(w); code != exitLab || !strings.Contains(stderr.String(), "no space left on device") {
				t.Errorf("exit code %d, and it says %q", code, stderr.String())
			}
		})
	}
}
