package timeline

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/scenario-run/scenario/engine/event"
)

// draw takes in an event and prints what it has to say.
func (t *Timeline) draw(e event.Event) {
	switch b := e.Body.(type) {
	case event.RunStarted:
		t.run, t.began = b, e.Time.Add(-e.Mono)
		if t.opts.Mode == Plain {
			t.print(t.palette.dim.Sprintf("run %s  %s", b.Run, t.path(b.Dir)))
		}
	case event.FileInvalid:
		t.invalid++
		t.drawInvalid(b.Text)
	case event.VariantStarted:
		v := newVariant(e, b)
		t.variants[e.Variant] = v
		t.running = append(t.running, v)
		if t.folds() {
			before, _ := t.opts.Fold(title(v))
			t.print(before)
		}
		t.prefixed(v, func() { t.header(v) })
	case event.RunFinished:
		t.current, t.running = nil, nil
		t.drawRunEnd(b)
	default:
		if v := t.variants[e.Variant]; v != nil {
			v.record(e)
			t.prefixed(v, func() { t.drawVariant(v, e) })
			return
		}
		t.drawOutside(e)
	}
}

// drawVariant prints an event that belongs to a variant.
func (t *Timeline) drawVariant(v *variant, e event.Event) {
	switch b := e.Body.(type) {
	case event.ImageProgress:
		// On a terminal the region shows it.
		if b.Stage && t.opts.Mode == Plain {
			t.say(v, row{label: imageLabel(b.Name), text: clean(b.Text)})
		}
	case event.ImageReady:
		t.say(v, row{label: imageLabel(b.Name), text: b.How + "  " + shortDigest(b.Digest), took: took(b.Seconds)})
	case event.NodeChanged:
		t.drawNode(v, e, b)
	case event.StepStarted:
		t.drawStepStarted(v, e, b)
	case event.StepFinished:
		t.say(v, t.stepRow(v, e, b))
	case event.FaultChanged:
		t.drawFault(v, e, b)
	case event.FaultGap:
		t.drawGap(v, e, b)
	case event.WorkloadFinished:
		if t.opts.Mode == Plain {
			s := v.step(b.Workload)
			t.say(v, row{at: t.at(v, e), glyph: noteGlyph, kind: kindOf(s), name: stepName(s), text: "ended: " + counts(b.Statistics)})
		}
	case event.PhaseStarted:
		t.drawPhase(v, e, b)
	case event.Interrupted:
		t.notice(v, t.at(v, e), interruption(b))
	case event.Warning:
		t.notice(v, t.at(v, e), b.Text)
	case event.LeftBehind:
		if v.finished {
			t.drawLeft(b)
		}
	case event.VariantFinished:
		v.finished = true
		t.running = slices.DeleteFunc(t.running, func(other *variant) bool { return other == v })
		t.drawVariantEnd(v, e, b)
	}
}

// drawOutside prints an event that belongs to no variant.
func (t *Timeline) drawOutside(e event.Event) {
	switch b := e.Body.(type) {
	case event.Warning:
		t.notice(nil, "", b.Text)
	case event.Interrupted:
		t.notice(nil, "", interruption(b))
	case event.LeftBehind:
		t.left = append(t.left, b)
		t.drawLeft(b)
	}
}

// say prints a row of a variant, under its header. When several variants run
// at once, the header comes again with each change, unless each line says whose
// it is.
func (t *Timeline) say(v *variant, r row) {
	if t.opts.Mode == Quiet {
		return
	}
	if t.current != v {
		t.header(v)
	}
	t.print(t.layout(v).line(r))
}

// header prints the line that a variant's part begins with.
func (t *Timeline) header(v *variant) {
	t.current = v
	if t.opts.Mode == Quiet {
		return
	}
	if t.prefix != "" {
		t.introduce(v)
		return
	}
	if t.started > 0 {
		t.print("")
	}
	t.started++
	name := clean(title(v))
	w, _ := t.size()
	text := clean(v.started.Description)
	if t.opts.Mode == Terminal {
		name = cut(name, w)
		text = clip(text, w-width(name)-2)
	}
	t.print(strings.TrimRight(t.palette.bold.Sprint(name)+"  "+text, " "))
}

// introduce says once what a variant is about whose name each line has.
func (t *Timeline) introduce(v *variant) {
	if about := clean(v.started.Description); about != "" && !v.introduced {
		t.print(about)
	}
	v.introduced = true
}

// title is a variant's name for people: liveness[storage=redis].
func title(v *variant) string {
	if v.started.Variant == "" {
		return v.started.Scenario
	}
	return v.started.Scenario + "[" + v.started.Variant + "]"
}

func (t *Timeline) at(v *variant, e event.Event) string { return at(v.sinceStart(e.Mono)) }

func (t *Timeline) drawNode(v *variant, e event.Event, b event.NodeChanged) {
	r := row{at: t.at(v, e), glyph: noteGlyph, kind: "node", name: short(b.Node), text: b.State}
	switch {
	case b.State == "exited" && b.Unasked:
		r.glyph, r.mark, r.tint = "✗", t.palette.bad, t.palette.bad
		r.text = strings.TrimPrefix(exitText(b), b.Node+" ")
		t.say(v, r)
	case b.State == "exited" && b.AllowedBy != "":
		r.mark, r.tint = t.palette.doubt, t.palette.doubt
		r.text = strings.TrimPrefix(exitText(b), b.Node+" ")
		t.say(v, r)
	case starved(b):
		r.glyph, r.mark, r.tint, r.text = "✗", t.palette.bad, t.palette.bad, starvedText
		t.say(v, r)
	case t.opts.Mode != Plain:
	case b.State == "ready":
		r.text = strings.TrimSpace("ready  " + b.IP)
		if b.Seconds > 0 {
			r.took = took(b.Seconds)
		}
		t.say(v, r)
	case b.State == "exited":
		r.text = strings.TrimPrefix(exitText(b), b.Node+" ")
		t.say(v, r)
	case b.State == "paused":
		t.say(v, r)
	}
}

// starvedText is what is said of a node that is starved.
const starvedText = "lives on, but a process of it was killed for want of memory"

// starved says that a node has lost a process without exiting.
func starved(b event.NodeChanged) bool { return b.OOMKilled && b.State != "exited" }

// exitText says how a node ended.
func exitText(b event.NodeChanged) string {
	text := b.Node + " exited"
	if b.Unasked {
		text += " though no action asked for it"
	}
	if b.ExitCode != nil {
		text += fmt.Sprintf(", code %d", *b.ExitCode)
	}
	if b.OOMKilled {
		text += ", killed for want of memory"
	}
	if b.AllowedBy != "" {
		text += ", while " + b.AllowedBy + " was in effect, which allows it"
	}
	return text
}

// drawStepStarted prints the start of what does not end soon: a background
// step, a group. Without a terminal every start is a line, so that a log that
// breaks off says what was being done.
func (t *Timeline) drawStepStarted(v *variant, e event.Event, b event.StepStarted) {
	s := v.step(b.Step)
	text := ""
	switch {
	case b.Attempt > 1:
		text = fmt.Sprintf("attempt %d", b.Attempt)
	case s.Background:
		text = "started in the background"
	}
	if t.opts.Mode == Terminal && s.Kind != "group" && (!s.Background || b.Attempt > 1) {
		return
	}
	t.say(v, row{
		at: t.at(v, e), glyph: startedGlyph, mark: t.palette.dim, depth: depth(s),
		kind: kindOf(s), name: stepName(s), text: text, tint: t.palette.dim,
	})
}

// stepRow is the line of a step that ended.
func (t *Timeline) stepRow(v *variant, e event.Event, b event.StepFinished) row {
	s := v.step(b.Step)
	look := t.palette.look(b.State)
	r := row{at: t.at(v, e), glyph: look.glyph, mark: look.color, depth: depth(s), kind: kindOf(s), name: stepName(s), text: clean(b.Summary)}
	if s.Kind == "fault" && b.State == event.Passed && !v.lasting[b.Step] && !v.neverActive(b.Step) {
		r.glyph, r.mark = faultGlyph, t.palette.fault
	}
	if b.State != event.Passed {
		r.tint = look.color
		if b.Cause != nil {
			r.text = clean(b.Cause.Message)
		}
		if r.text == "" {
			r.text = string(b.State)
		}
		if b.State == event.Skipped && strings.HasPrefix(r.text, "when ") {
			r.text = "skipped: " + r.text
		}
	}
	if b.Attempts > 1 {
		r.text = strings.TrimPrefix(fmt.Sprintf("%s · attempt %d", r.text, b.Attempts), " · ")
	}
	if b.Seconds >= 0.05 {
		r.took = took(b.Seconds)
	}
	return r
}

func (t *Timeline) drawFault(v *variant, e event.Event, b event.FaultChanged) {
	s := v.step(b.Step)
	r := row{at: t.at(v, e), glyph: noteGlyph, depth: depth(s), kind: kindOf(s), name: stepName(s)}
	say := func(words, more string) {
		r.text = strings.TrimSuffix(words+": "+clean(more), ": ")
		t.say(v, r)
	}
	switch {
	case b.State == "active" && b.For > 0:
		// Its step ends when it has been healed; that of another fault ends now.
		r.glyph, r.mark = faultGlyph, t.palette.fault
		say("in effect for "+took(b.For), effect(b))
	case b.State == "invalid":
		r.glyph, r.mark, r.tint = warnGlyph, t.palette.doubt, t.palette.doubt
		say("whether it is in effect is not known", b.Text)
	case b.State == "healed" && t.opts.Mode == Plain:
		say("healed", b.Text)
	}
}

// drawGap prints that a fault was off for a while.
func (t *Timeline) drawGap(v *variant, e event.Event, b event.FaultGap) {
	s := v.step(b.Step)
	node := strings.TrimPrefix(b.Node, "node.")
	t.say(v, row{
		at: t.at(v, e), glyph: warnGlyph, mark: t.palette.doubt, depth: depth(s), kind: kindOf(s), name: stepName(s),
		text: fmt.Sprintf("off for %.2fs at %s, which began anew", b.Seconds, node),
	})
}

// drawPhase prints the start of a phase; on a terminal only that of cleanup
// steps, which stand below it.
func (t *Timeline) drawPhase(v *variant, e event.Event, b event.PhaseStarted) {
	show := t.opts.Mode == Plain && b.Phase != "execute"
	if b.Phase == "cleanup" {
		show = slices.ContainsFunc(v.started.Steps, func(s event.Step) bool { return addressParts(s.Address)[0] == inCleanup })
	}
	if show {
		t.say(v, row{at: t.at(v, e), glyph: noteGlyph, mark: t.palette.dim, kind: b.Phase})
	}
}

func interruption(b event.Interrupted) string {
	switch {
	case b.Count <= 1:
		return b.Signal + ": starting nothing more; healing, cleaning up, removing. Again: skip the cleanup steps"
	case b.Count == 2 && b.Signal == "SIGQUIT":
		return b.Signal + ": healing and removing only; what the program was at is in goroutines.txt. Once more: leave at once"
	case b.Count == 2:
		return b.Signal + " again: healing and removing only. Once more: leave at once"
	default:
		return b.Signal + " once more: leaving; the guardian removes what is left, or else `scenario clean`"
	}
}

// notice prints something a person should know that is no step.
func (t *Timeline) notice(v *variant, when, text string) {
	if t.opts.Mode == Quiet {
		return
	}
	if v != nil && t.current != v {
		t.header(v)
	}
	prefix := t.palette.dim.Sprint(padLeft(when, lead-4)) + " " + t.palette.doubt.Sprint(padLeft(warnGlyph, 2)) + " "
	for _, l := range lines(text) {
		for _, part := range wrap(l, t.room(lead)) {
			t.print(prefix + t.palette.doubt.Sprint(part))
			prefix = strings.Repeat(" ", lead)
		}
	}
}

// drawInvalid prints a file's diagnostics, which come as finished text: marks
// and colours are all that is added.
func (t *Timeline) drawInvalid(text string) {
	for l := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		t.print(t.palette.diagnostic(strings.ReplaceAll(l, "\x1b", "")))
	}
}

// short is a node's address without "node.".
func short(address string) string { return strings.TrimPrefix(address, "node.") }

// imageLabel is an image as the file names it; one without a block is known by
// its reference.
func imageLabel(name string) string {
	if strings.ContainsAny(name, ":/.") {
		return name
	}
	return "image." + name
}

func shortDigest(d string) string {
	const shown = len("sha256:") + 6
	if len(d) <= shown {
		return d
	}
	return d[:shown] + "…"
}

// counts is a workload's outcome in a few words.
func counts(statistics json.RawMessage) string {
	var s struct {
		OK, Failed, Late *float64
		MaxGap           *float64 `json:"max_gap_seconds"`
	}
	if json.Unmarshal(statistics, &s) != nil {
		return "no statistics"
	}
	var parts []string
	add := func(n *float64, format string) {
		if n != nil {
			parts = append(parts, fmt.Sprintf(format, *n))
		}
	}
	add(s.OK, "%.0f ok")
	add(s.Failed, "%.0f failed")
	if s.Late != nil && *s.Late > 0 {
		add(s.Late, "%.0f late")
	}
	add(s.MaxGap, "longest gap %.2fs")
	return strings.Join(parts, " · ")
}
