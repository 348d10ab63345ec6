//go:build linux

// Package umltest runs tests of a package under another kernel: a Linux that is
// a program (user-mode Linux, Debian's package user-mode-linux), with the parts
// that the kernel of this machine may not have, such as netem. It boots in a
// second.
package umltest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

const (
	program = "linux.uml"
	modules = "/usr/lib/uml/modules"
	// patience is for a busy machine; a boot takes a second.
	patience = 3 * time.Minute
)

// needed are the modules that agents' work with packets needs, with veth for the
// tests.
var needed = []string{
	"veth", "sch_htb", "sch_netem", "nf_tables", "nft_numgen", "nft_queue", "nfnetlink_queue",
}

// Run runs the tests of the calling package whose names match, under the other
// kernel. The package's TestMain must call Main.
func Run(t *testing.T, match string) {
	t.Helper()
	if runtime.GOARCH != "amd64" {
		t.Skip("Debian has user-mode Linux for amd64 only")
	}
	uml, err := exec.LookPath(program)
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("needs user-mode Linux: scripts/setup --dev")
		}
		t.Skip("needs user-mode Linux: scripts/setup --dev")
	}
	root := t.TempDir()
	if err := furnish(root); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, uml,
		"mem=256M", "rootfstype=hostfs", "rootflags="+root, "rw", "quiet", "panic=-1",
		"con=null", "con0=null,fd:1", "init=/init", "--", "-test.v", "-test.run="+match)
	var printed bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.Dir = &printed, &printed, root
	cmd.Env = append(os.Environ(), "TMPDIR="+root)
	ended := cmd.Run()
	code, err := os.ReadFile(filepath.Join(root, exitFile))
	if err != nil {
		t.Fatalf("the kernel came to no end of the tests: %v, %v\n%s", ended, err, &printed)
	}
	said := strings.ReplaceAll(printed.String(), "\r", "")
	if string(code) != "0" || !strings.Contains(said, "--- PASS: ") {
		t.Fatalf("exit code %s\n%s", code, said)
	}
	t.Log(said)
}

// furnish makes a directory the root of a system: the package's tests as its
// first process, and the modules that it loads.
func furnish(root string) error {
	for _, dir := range []string{"proc", "sys", "tmp", "dev", moduleDir} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o755); err != nil {
			return err
		}
	}
	build := exec.Command("go", "test", "-c", "-o", filepath.Join(root, "init"), ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build the tests: %w\n%s", err, out)
	}
	trees, err := filepath.Glob(filepath.Join(modules, "*"))
	if err != nil {
		return err
	}
	if len(trees) != 1 {
		return fmt.Errorf("there are %d kernels in %s, not one", len(trees), modules)
	}
	ordered, err := order(trees[0])
	if err != nil {
		return err
	}
	for i, from := range ordered {
		content, err := os.ReadFile(filepath.Join(trees[0], from))
		if err != nil {
			return err
		}
		to := filepath.Join(root, moduleDir, fmt.Sprintf("%02d-%s", i, filepath.Base(from)))
		if err := os.WriteFile(to, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// order returns the files of the needed modules, each after those that it
// depends on.
func order(tree string) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(tree, "modules.dep"))
	if err != nil {
		return nil, err
	}
	needs := map[string][]string{} // by file
	files := map[string]string{}   // by name
	for line := range strings.Lines(string(text)) {
		file, on, _ := strings.Cut(strings.TrimSpace(line), ":")
		needs[file] = strings.Fields(on)
		files[strings.TrimSuffix(filepath.Base(file), ".ko")] = file
	}
	var all []string
	placed := map[string]bool{}
	var place func(string)
	place = func(file string) {
		if placed[file] {
			return
		}
		placed[file] = true
		for _, on := range needs[file] {
			place(on)
		}
		all = append(all, file)
	}
	var missing []error
	for _, name := range needed {
		if files[name] == "" {
			missing = append(missing, fmt.Errorf("%s has no module %s", tree, name))
			continue
		}
		place(files[name])
	}
	return all, errors.Join(missing...)
}
