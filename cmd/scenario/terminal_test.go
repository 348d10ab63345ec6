package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// session is the program on a terminal.
type session struct {
	t    *testing.T
	cmd  *exec.Cmd
	tty  *os.File
	dir  string
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{} // something was printed
	over chan struct{} // nothing more will be
}

func onTerminal(t *testing.T, scenario string, args ...string) *session {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "s.hcl"), []byte(scenario), 0o644); err != nil {
		t.Fatal(err)
	}
	s := &session{t: t, cmd: exec.Command("scenario", args...), dir: dir, more: make(chan struct{}, 1), over: make(chan struct{})}
	s.cmd.Dir = dir
	s.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "HOME=" + dir}
	tty, err := pty.StartWithSize(s.cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	s.tty = tty
	t.Cleanup(func() { tty.Close() })
	go s.read()
	return s
}

func (s *session) read() {
	defer close(s.over)
	buf := make([]byte, 4096)
	for {
		n, err := s.tty.Read(buf)
		s.mu.Lock()
		s.text.Write(buf[:n])
		s.mu.Unlock()
		select {
		case s.more <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (s *session) seen() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// until waits for a text on the screen.
func (s *session) until(text string) {
	s.t.Helper()
	late := time.After(time.Minute)
	for !strings.Contains(s.seen(), text) {
		select {
		case <-s.more:
		case <-s.over:
			if !strings.Contains(s.seen(), text) {
				s.t.Fatalf("ended without %q:\n%s", text, s.seen())
			}
		case <-late:
			s.t.Fatalf("no %q:\n%s", text, s.seen())
		}
	}
}

func (s *session) press(key string) {
	s.t.Helper()
	if _, err := io.WriteString(s.tty, key); err != nil {
		s.t.Fatal(err)
	}
}

func (s *session) exitCode() int {
	s.t.Helper()
	<-s.over
	err := s.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	return s.cmd.ProcessState.ExitCode()
}

const (
	ctrlC = "\x03"
	waits = `
scenario "s" {}

action "sleep" "long" {
  for = "9m"
}

cleanup {
  action "sleep" "slow" {
    for = "9m"
  }
}
`
)

func TestOnATerminalWhatRunsIsRedrawnAndNothingOfItStays(t *testing.T) {
	s := onTerminal(t, strings.Split(waits, "cleanup")[0], "run", "s.hcl", "--timeout", "500ms")
	s.until("\x1b[1A\x1b[J")
	if code := s.exitCode(); code != 8 {
		t.Errorf("exit code %d:\n%s", code, s.seen())
	}
}

func TestTheFirstInterruptCleansUpAndTheSecondSkipsCleanup(t *testing.T) {
	s := onTerminal(t, waits, "run", "s.hcl")
	s.until("long")
	s.press(ctrlC)
	s.until("slow")
	s.press(ctrlC)
	if code := s.exitCode(); code != 130 {
		t.Errorf("exit code %d:\n%s", code, s.seen())
	}
	if !strings.Contains(s.seen(), "CANCELLED") {
		t.Errorf("no verdict:\n%s", s.seen())
	}
	if _, err := os.Stat(filepath.Join(s.dir, ".scenario", "runs", "latest", "run.json")); err != nil {
		t.Error(err)
	}
}

func TestSIGTERMHasAnExitCodeOfItsOwn(t *testing.T) {
	s := onTerminal(t, strings.Split(waits, "cleanup")[0], "run", "s.hcl")
	s.until("long")
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := s.exitCode(); code != 143 {
		t.Errorf("exit code %d:\n%s", code, s.seen())
	}
}
