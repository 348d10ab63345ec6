package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFilesAreCopiedWhateverTheNodeDoes shares one run between what copy can
// do, and what it can't, which fails its step and is not the lab's fault.
func TestFilesAreCopiedWhateverTheNodeDoes(t *testing.T) {
	needDocker(t)
	t.Parallel()
	host := t.TempDir()
	path := write(t, "copy.hcl", fmt.Sprintf(`scenario "copy" {}

include = ["lib/config.hcl"]

volume "small" { size = "1m" }

node "n" {
  image   = %[1]q
  command = ["sleep", "600"]
  user    = "65534"
  mounts  = { "/small" = volume.small, "/host" = "%[2]s:ro" }
}

action "configure" "it" { node = node.n }

action "copy" "big" {
  node = node.n
  from = "big"
  to   = "/var/lib/made/on/the/way/big"
}

probe "file" "big" {
  node = node.n
  path = "/var/lib/made/on/the/way/big"
}

action "exec" "looks" {
  node    = node.n
  command = ["sh", "-c", "cat /etc/app.conf && /opt/tool && test ! -x /etc/app.conf && stat -c %%u:%%g:%%a /etc/app.conf /opt/tool"]
}

assert "as_it_should_be" {
  condition = action.looks.stdout == "of the library\ntool\n0:0:644\n0:0:755\n" && action.big.bytes == 48 * 1024 * 1024 && probe.big.size == action.big.bytes
}

action "pause" "frozen" { nodes = [node.n] }

action "copy" "while_paused" {
  node    = node.n
  to      = "/etc/app.conf"
  content = "while paused\n"
}

action "heal" "thawed" { faults = [action.frozen] }

action "exec" "thaws" {
  node    = node.n
  command = ["cat", "/etc/app.conf"]
}

action "stop" "down" {
  nodes = [node.n]
  grace = "0s"
}

action "copy" "while_down" {
  node    = node.n
  to      = "/etc/app.conf"
  content = "while down\n"
}

action "start" "up" { nodes = [node.n] }

action "exec" "rises" {
  node    = node.n
  command = ["cat", "/etc/app.conf"]
}

assert "at_any_time" {
  condition = action.thaws.stdout == "while paused\n" && action.rises.stdout == "while down\n"
}

action "fill_disk" "full" {
  node = node.n
  path = "/small"
}

action "copy" "onto_a_full_volume" {
  node       = node.n
  from       = "big"
  to         = "/small/big"
  on_failure = "continue"
}

action "copy" "onto_a_directory" {
  node       = node.n
  content    = "x"
  to         = "/etc"
  on_failure = "continue"
}

action "copy" "below_a_file" {
  node       = node.n
  content    = "x"
  to         = "/etc/app.conf/x"
  on_failure = "continue"
}

action "copy" "where_nothing_is_written" {
  node       = node.n
  content    = "x"
  to         = "/host/x"
  on_failure = "continue"
}
`, baseImage(t), host))
	dir := filepath.Dir(path)
	if err := os.Mkdir(filepath.Join(dir, "lib"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]struct {
		text string
		mode os.FileMode
	}{
		"lib/config.hcl": {`define "action" "configure" {
  param "node" { type = node }

  action "copy" "config" {
    node = param.node
    from = "app.conf"
    to   = "/etc/app.conf"
  }

  action "copy" "tool" {
    node = param.node
    from = "tool"
    to   = "/opt/tool"
  }
}
`, 0o600},
		"lib/app.conf": {"of the library\n", 0o600},
		// A script without a first line that says so: it is its mode that counts.
		"lib/tool": {"echo tool\n", 0o700},
		"big":      {strings.Repeat("0123456789abcdef", 3<<20), 0o600},
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(f.text), f.mode); err != nil {
			t.Fatal(err)
		}
	}
	r := scenarioRun(t, dockerLimit, nil, path)
	r.wantExit(t, 1)
	for step, says := range map[string]string{
		"onto_a_full_volume": "volume.small", "onto_a_directory": "/etc", "below_a_file": "/etc/app.conf", "where_nothing_is_written": "read-only",
	} {
		state, message := r.step("action." + step)
		t.Logf("%s: %s: %s", step, state, message)
		if state != "failed" || !strings.Contains(message, says) {
			t.Errorf("%s is %s and says %q, not %q", step, state, message, says)
		}
	}
	for _, step := range []string{"assert.as_it_should_be", "assert.at_any_time"} {
		if state, message := r.step(step); state != "passed" {
			t.Errorf("%s is %s: %s", step, state, message)
		}
	}
	if entries, err := os.ReadDir(host); err != nil || len(entries) > 0 {
		t.Errorf("in the host's directory there is %v, %v", entries, err)
	}
	wantNothingLeft(t, r.summary.RunID)
}
