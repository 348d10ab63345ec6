package e2e

import (
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestTheDoctorLooksAndLeavesNothing is about the machine that these tests run
// on, which can run scenarios.
func TestTheDoctorLooksAndLeavesNothing(t *testing.T) {
	needDocker(t)
	r := program(t, time.Minute, nil, "doctor")
	r.wantExit(t, 0)
	for _, line := range []string{"✓ runtime", "✓ network", "✓ agent", "partition", "limit_cpu", "limit_memory", "✓ fill_disk", "processes", "✓ clock", "disk"} {
		if !strings.Contains(r.stdout, line) {
			t.Errorf("it does not say %q:\n%s", line, r.stdout)
		}
	}
	for _, args := range [][]string{{"ps", "--all", "--quiet"}, {"network", "ls", "--quiet"}, {"volume", "ls", "--quiet"}} {
		out, err := exec.Command("docker", append(args, "--filter", "label=scenario.variant=doctor")...).Output()
		if err != nil || len(out) > 0 {
			t.Errorf("docker %s: left %q, %v", args[0], out, err)
		}
	}
}
