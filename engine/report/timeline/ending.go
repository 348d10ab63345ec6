package timeline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"

	"github.com/scenario-run/scenario/engine/event"
)

// result is how a variant ended, for the table at the end.
type result struct {
	title string
	from  string
	event.VariantFinished
}

// drawVariantEnd prints a variant's verdict: outputs for one that passed, the
// explanation for one that did not.
func (t *Timeline) drawVariantEnd(v *variant, e event.Event, b event.VariantFinished) {
	t.results = append(t.results, result{title(v), v.from(b.Step), b})
	if t.opts.Mode == Quiet && b.State == event.Passed && len(v.left) == 0 {
		return
	}
	if t.current != v {
		t.header(v)
	}
	if t.folds() {
		_, after := t.opts.Fold(title(v))
		t.print(after)
		t.print(t.palette.bold.Sprint(clean(title(v))))
	}
	t.current = nil // nothing of it runs any more
	if t.opts.Mode == Quiet {
		t.print(t.palette.bold.Sprint(clean(title(v))))
	}
	if b.State == event.Passed {
		t.drawPassed(v, b)
	} else {
		t.explain(v, e, b)
	}
	for _, l := range v.left {
		t.drawLeft(l)
	}
	t.drawKept(b)
}

func (t *Timeline) drawPassed(v *variant, b event.VariantFinished) {
	verdict := "PASSED  " + took(b.Seconds)
	colored := "  " + t.palette.good.Sprint("PASSED") + "  " + took(b.Seconds)
	if len(v.outputs) == 1 {
		text := "   " + outputText(v.outputs[0])
		if room := t.room(2); room == 0 || width(verdict+text) <= room {
			t.print(colored + text)
			return
		}
	}
	t.print(colored)
	for _, o := range v.outputs {
		t.paragraph("    ", outputText(o))
	}
}

// outputText is an output as one line. Numbers are rounded to what a person
// reads; run.json has them whole.
func outputText(o event.Output) string {
	var number float64
	text := string(bytes.TrimSpace(o.Value))
	if json.Unmarshal(o.Value, &number) == nil && text != "null" && math.Abs(number) < 1e15 {
		text = strconv.FormatFloat(math.Round(number*1000)/1000, 'f', -1, 64)
	}
	return o.Name + " = " + clean(text)
}

func (t *Timeline) drawLeft(l event.LeftBehind) {
	for i, part := range wrap("left behind: "+clean(l.What), t.room(4)) {
		t.print("  " + strings.Repeat(" ", 2*min(i, 1)) + t.palette.bad.Sprint(part))
	}
	if l.Reason != "" {
		t.paragraph("    ", clean(l.Reason))
	}
	if l.Command != "" {
		t.print("    " + t.palette.accent.Sprint(clean(l.Command)))
	}
}

// keptIndent is where the values of the last lines of a variant stand.
const keptIndent = "              "

// drawKept prints how to look into what was kept, and how to get rid of it.
func (t *Timeline) drawKept(b event.VariantFinished) {
	if len(b.Kept) == 0 {
		return
	}
	for i, k := range b.Kept {
		t.print(padRight([]string{"  kept", ""}[min(i, 1)], len(keptIndent)) + clean(k.Node))
		for _, command := range []string{k.Shell, k.Logs} {
			if command != "" {
				t.print(keptIndent + "  " + t.palette.accent.Sprint(clean(command)))
			}
		}
	}
	t.print("  remove      " + t.palette.accent.Sprint("scenario clean "+t.run.Run))
}

// drawRunEnd prints the table of variants, if there was more than one thing to
// run, and why the exit code is not what the verdicts say.
func (t *Timeline) drawRunEnd(b event.RunFinished) {
	if len(t.results)+t.invalid > 1 && (t.opts.Mode != Quiet || b.ExitCode != 0) {
		t.drawTable(b)
	}
	switch b.ExitCode {
	case 7:
		t.print(t.palette.doubt.Sprint("  passed, but something could not be removed (exit code 7); `scenario clean` tries again"))
	case 8:
		t.print(t.palette.doubt.Sprint("  the run's time limit ended it (exit code 8)"))
	}
}

func (t *Timeline) drawTable(b event.RunFinished) {
	var titles []string
	count := map[event.State]int{}
	for _, r := range t.results {
		titles = append(titles, clean(r.title))
		count[r.State]++
	}
	column := widest(titles, 0, 60)
	t.print("")
	for _, r := range t.results {
		t.print(t.tableLine(r, column))
	}
	var parts []string
	for _, s := range []event.State{event.Passed, event.Failed, event.Error, event.Inconclusive, event.Cancelled, event.Skipped} {
		if n := count[s]; n > 0 {
			parts = append(parts, t.palette.look(s).color.Sprintf("%d %s", n, strings.ToLower(t.palette.look(s).word)))
		}
	}
	if t.invalid > 0 {
		parts = append(parts, t.palette.bad.Sprint(plural(t.invalid, "invalid file")))
	}
	parts = append(parts, t.palette.dim.Sprint(took(b.Seconds)))
	line := "  " + strings.Join(parts, " · ")
	if room := t.room(0); room > 0 && printedWidth(line) > room {
		line = "  " + strings.Join(parts, "\n  ")
	}
	t.print(line)
}

func (t *Timeline) tableLine(r result, column int) string {
	w, _ := t.size()
	line := fmt.Sprintf("%s  %s", padRight(clean(r.title), column), padLeft(took(r.Seconds), 7))
	if why := r.why(); why != "" {
		line += "  " + why
	}
	if t.opts.Mode == Terminal {
		line = cut(line, w-16)
	}
	word := t.palette.look(r.State).color.Sprint(padRight(t.palette.look(r.State).word, 12))
	return strings.TrimRight("  "+word+"  "+line, " ")
}

// why is the reason of a verdict in one line.
func (r result) why() string {
	if r.State == event.Passed || r.Cause == nil {
		return ""
	}
	if r.from == "" || saysWhere(r.Cause, r.from, r.Step) {
		return clean(r.Cause.Message)
	}
	return r.from + ": " + clean(r.Cause.Message)
}

// from is where a verdict came from, for people.
func (v *variant) from(address string) string {
	switch {
	case address == "engine", address == "scenario":
		return "" // the message says it
	case address == "", strings.HasPrefix(address, "node."), strings.HasPrefix(address, "image["):
		return address
	}
	s := v.step(address)
	from := clean(strings.TrimSpace(kindOf(s) + " " + stepName(s)))
	if addressParts(address)[0] == inCleanup {
		from += ", in cleanup"
	}
	return from
}

// path is a path as it is shortest to type from where the command was called.
func (t *Timeline) path(p string) string {
	if t.opts.WorkDir == "" {
		return p
	}
	if rest, ok := strings.CutPrefix(p, strings.TrimSuffix(t.opts.WorkDir, "/")+"/"); ok {
		return path.Clean(rest)
	}
	return p
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
