package timeline

import (
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/scenario-run/scenario/engine/event"
)

const (
	mostNodes    = 3
	mostLogLines = 10
	tailBytes    = 64 << 10
	// afterFailure is how much of a log after the failure still counts as
	// around it.
	afterFailure = 500 * time.Millisecond
)

// drawLogs prints the last lines of the nodes that had to do with it.
func (t *Timeline) drawLogs(v *variant, b event.VariantFinished, when time.Duration) {
	for _, node := range v.involved(b) {
		if b.Cause != nil && b.Cause.LogOf == node && b.Cause.Detail != "" {
			continue // the cause shows them
		}
		tail := t.tail(v, node, when)
		if len(tail) == 0 {
			continue
		}
		t.section("last lines of " + clean(node))
		for _, l := range tail {
			t.quoted("", l)
		}
	}
}

// involved are the nodes of the failed step, of the faults in effect, and those
// that exited unasked; all of them, if that is none.
func (v *variant) involved(b event.VariantFinished) []string {
	var nodes []string
	add := func(list ...string) {
		for _, n := range list {
			if !slices.Contains(nodes, n) {
				nodes = append(nodes, n)
			}
		}
	}
	if strings.HasPrefix(b.Step, "node.") {
		add(b.Step)
	}
	add(v.steps[b.Step].Nodes...)
	for _, n := range v.nodes {
		if x, ok := v.exits[n]; ok && x.Unasked {
			add(n)
		}
	}
	for _, f := range v.faults {
		add(f.nodes...)
	}
	if len(nodes) == 0 {
		add(v.nodes...)
	}
	return nodes[:min(len(nodes), mostNodes)]
}

// tail returns a node's last lines before a time of the run, each with its own
// time: from its log file, or else from the event of its exit.
func (t *Timeline) tail(v *variant, node string, when time.Duration) []string {
	if t.opts.Logs != nil {
		for _, name := range logNames(node) {
			data, err := readTail(t.opts.Logs, path.Join(v.started.Dir, "nodes", name+".log"))
			if err == nil {
				return t.lastLines(v, data, when)
			}
		}
	}
	var out []string
	for _, l := range v.exits[node].Log {
		out = append(out, lines(l)...)
	}
	return out[max(0, len(out)-mostLogLines):]
}

// logNames are the names that a node's log file may have.
func logNames(node string) []string {
	name := short(node)
	host := strings.NewReplacer("[", "-", "]", "", `"`, "").Replace(name)
	return []string{name, host, node}
}

// lastLines picks the last lines that were written before a time.
func (t *Timeline) lastLines(v *variant, data []byte, when time.Duration) []string {
	end := v.wall.Add(when - v.began).Add(afterFailure)
	var out []string
	for l := range strings.SplitSeq(strings.TrimRight(string(data), "\n"), "\n") {
		stamp, text, ok := strings.Cut(l, " ")
		at1, err := time.Parse(time.RFC3339Nano, stamp)
		if !ok || err != nil {
			if text := clean(l); text != "" {
				out = append(out, text)
			}
			continue
		}
		if at1.After(end) {
			break
		}
		if text := clean(text); text != "" {
			out = append(out, padLeft(at(at1.Sub(v.wall).Seconds()), 7)+"  "+text)
		}
	}
	return out[max(0, len(out)-mostLogLines):]
}

// readTail reads the end of a file, from the start of a line on.
func readTail(dir fs.FS, name string) ([]byte, error) {
	f, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	skipped := false
	if info, err := f.Stat(); err == nil && info.Size() > tailBytes {
		if s, ok := f.(io.Seeker); ok {
			if _, err := s.Seek(-tailBytes, io.SeekEnd); err != nil {
				return nil, err
			}
			skipped = true
		}
	}
	data, err := io.ReadAll(f)
	if skipped {
		if i := strings.IndexByte(string(data), '\n'); i >= 0 {
			data = data[i+1:]
		}
	}
	return data, err
}
