package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

var crashRounds = flag.Int("crash-rounds", defaultRounds, "how often TestCrashRounds kills an engine; every second time its guardian too, and every fourth its agents")

const (
	defaultRounds = 5
	// effectLimit is how long a fault may outlast an engine that was killed;
	// containersLimit, how long what the run made may.
	effectLimit     = time.Second
	containersLimit = 10 * time.Second
)

// TestCrashRounds kills the engine while fifteen kinds of faults are in effect. It
// runs alone, so that the times are those of what it tests.
func TestCrashRounds(t *testing.T) {
	needDocker(t)
	for n := range *crashRounds {
		who := []victim{engineOnly, withGuardian, engineOnly, withAgents}[n%4]
		t.Run(fmt.Sprintf("%d %s", n, who), func(t *testing.T) { crash(t, who) })
	}
}

// victim says who is killed.
type victim string

const (
	engineOnly   victim = "engine"
	withGuardian victim = "engine and guardian"
	withAgents   victim = "engine, guardian and agents"
)

// ends are the faults that must end when they are killed. What a guardian undoes
// waits for the next run without one, and so do processes that stand still
// without the agent that let them. Of the rest the kernel takes care.
func (who victim) ends() []watch {
	gone := map[victim][]undoer{withGuardian: {guardian}, withAgents: {guardian, agent}}[who]
	return slices.DeleteFunc(slices.Clone(watched), func(w watch) bool { return slices.Contains(gone, w.by) })
}

func crash(t *testing.T, who victim) {
	if who == withAgents && !tablesGoWithTheirMaker(t) {
		t.Skip("this kernel keeps the rules of agents that are killed")
	}
	file, notes := disaster(t)
	cmd, out, printed := running(t, file)
	defer func() {
		if t.Failed() {
			t.Log(printed)
		}
	}()
	waitForStep(t, out, "action.settled")
	wantInEffect(t, notes, time.Now().Add(-inEffectFor))
	run := started(out)
	killed := time.Now()
	limit := effectLimit
	switch who {
	case engineOnly:
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // killed, as it says
	case withGuardian:
		killed = killBoth(t, cmd)
	case withAgents: // first, or their lease would be over
		killAgents(t, run)
		limit += time.Since(killed)
		killBoth(t, cmd)
	}
	wantEnded(t, run, notes, who.ends(), killed, limit)
	if who != engineOnly {
		if r := program(t, dockerLimit, nil, "clean", run); r.code != 0 {
			t.Errorf("clean exits with %d:\n%s", r.code, r.stderr)
		}
		wantNothingLeft(t, run)
		return
	}
	wantNothingLeftWithin(t, run, killed, containersLimit)
	t.Logf("nothing left after %v", time.Since(killed).Round(10*time.Millisecond))
	wantGuardianGone(t, run, killed)
	wantHealed(t, out, "action.j", "action.k", "action.l", "action.m")
}

// inEffectFor is how long all faults have been in effect, at the least, when the
// engine is killed.
const inEffectFor = 300 * time.Millisecond

// wantInEffect fails the test if a watcher has noted that something works while the
// faults were in effect: nothing would be seen of their end.
func wantInEffect(t *testing.T, notes string, since time.Time) {
	t.Helper()
	for _, w := range watched {
		if at, ok := noted(t, filepath.Join(notes, w.fault), since); ok {
			t.Errorf("%s was not in effect at %s", w.fault, at.Format(time.StampMilli))
		}
	}
}

// wantHealed fails the test if the guardian has not healed a fault before it
// removed its node.
func wantHealed(t *testing.T, out string, steps ...string) {
	t.Helper()
	notes, err := os.ReadFile(filepath.Join(out, "guardian.log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range steps {
		if !strings.Contains(string(notes), "healed "+step+"\n") {
			t.Errorf("the guardian did not heal %s:\n%s", step, notes)
		}
	}
}

// wantNothingLeftWithin fails the test if the daemon still has anything of a run
// so long after a moment.
func wantNothingLeftWithin(t *testing.T, run string, since time.Time, limit time.Duration) {
	t.Helper()
	for left := leftOf(t, run); left != ""; left = leftOf(t, run) {
		if time.Since(since) > limit {
			t.Fatalf("%s after the engine was killed there is still:\n%s", limit, left)
		}
		time.Sleep(50 * time.Millisecond) // between two looks
	}
}

// wantEnded waits until the effect of each fault is seen to be over: by what its
// watcher notes, or because the node is gone.
func wantEnded(t *testing.T, run, notes string, faults []watch, killed time.Time, limit time.Duration) {
	t.Helper()
	after := map[string]time.Duration{}
	for len(after) < len(faults) && time.Since(killed) < containersLimit {
		present := nodesOf(t, run)
		looked := time.Since(killed)
		for _, f := range faults {
			if _, known := after[f.fault]; known {
				continue
			}
			if at, ok := noted(t, filepath.Join(notes, f.fault), killed); ok {
				after[f.fault] = at.Sub(killed)
			} else if !strings.Contains(present, "node."+f.node+"\n") {
				after[f.fault] = looked
			}
		}
	}
	for _, f := range faults {
		took, over := after[f.fault]
		switch {
		case !over:
			t.Errorf("%s is in effect %s after the engine was killed", f.fault, containersLimit)
		case took > limit:
			t.Errorf("%s was in effect for %v after the engine was killed", f.fault, took.Round(time.Millisecond))
		}
		t.Logf("%s: %v", f.fault, took.Round(time.Millisecond))
	}
}

// killAgents kills all agents of a run.
func killAgents(t *testing.T, run string) {
	t.Helper()
	agents, err := exec.Command("docker", "ps", "--quiet", "--filter", "label=scenario.run="+run, "--filter", "label=scenario.role=agent").Output()
	if err != nil || len(strings.Fields(string(agents))) == 0 {
		t.Fatalf("the agents: %q %v", agents, err)
	}
	if text, err := exec.Command("docker", append([]string{"kill"}, strings.Fields(string(agents))...)...).CombinedOutput(); err != nil {
		t.Fatalf("kill the agents: %v\n%s", err, text)
	}
}

// nodesOf lists the nodes of a run that are there, one on each line.
func nodesOf(t *testing.T, run string) string {
	t.Helper()
	out, err := exec.Command("docker", "ps", "--all", "--filter", "label=scenario.run="+run, "--format", `{{.Label "scenario.node"}}`).Output()
	if err != nil {
		t.Fatalf("docker ps: %v", err)
	}
	return string(out)
}

// noted is the first time after another that stands in a watcher's notes.
func noted(t *testing.T, path string, after time.Time) (time.Time, bool) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("the watcher has never noted anything: %v", err)
	}
	for line := range strings.Lines(string(text)) {
		seconds, err := strconv.ParseFloat(strings.TrimSpace(line), 64)
		if err != nil {
			continue // it is being written
		}
		if at := time.UnixMicro(int64(seconds * 1e6)); at.After(after) {
			return at, true
		}
	}
	return time.Time{}, false
}

// killBoth kills an engine and its guardian, and says when.
func killBoth(t *testing.T, engine *exec.Cmd) time.Time {
	t.Helper()
	children, err := exec.Command("pgrep", "-P", strconv.Itoa(engine.Process.Pid)).Output()
	if err != nil {
		t.Fatalf("the engine has no guardian: %v", err)
	}
	var all []int
	for _, pid := range append(strings.Fields(string(children)), strconv.Itoa(engine.Process.Pid)) {
		n, err := strconv.Atoi(pid)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, n)
	}
	killed := time.Now()
	for _, pid := range all {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	_ = engine.Wait() // killed, as it says
	return killed
}
