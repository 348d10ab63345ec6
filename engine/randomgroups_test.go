package engine

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/scenario-run/scenario/engine/event"
)

// part is a step of a random scenario, or a repeat with parts of its own.
type part struct {
	name       string // action.s3, repeat.r1
	in         *part  // nil at the top
	parts      []*part
	body       string
	background bool
	continues  bool
	never      bool // its when is false
	lasts      time.Duration
	count      int // of its instances; 0: it is one
}

// many is how many instances a step has that has several: enough for those of
// the next one to wait for them by a join.
const many = 12

// addresses are those of a part's instances.
func (p *part) addresses(prefix string) (all []string) {
	if p.count == 0 {
		return []string{prefix + p.name}
	}
	for n := range p.count {
		all = append(all, fmt.Sprintf("%s%s[%d]", prefix, p.name, n))
	}
	return all
}

// randomParts draws steps and groups of them.
func randomParts(t *rapid.T, in *part, depth int, n *int) (parts []*part) {
	for range rapid.IntRange(1, 4).Draw(t, "parts") {
		*n++
		p := &part{in: in, continues: rapid.Bool().Draw(t, "continue")}
		p.never = rapid.IntRange(0, 7).Draw(t, "when") == 0
		pause := rapid.IntRange(1, 3).Draw(t, "seconds")
		kind := rapid.SampledFrom([]string{"wait", "wait", "many", "many", "fail", "breaks", "times", "for"}).Draw(t, "kind")
		if depth == 0 && (kind == "times" || kind == "for") {
			kind = "wait"
		}
		switch kind {
		case "times", "for":
			p.name = fmt.Sprintf("repeat.r%d", *n)
			p.body = fmt.Sprintf("  times = %d\n", pause-1)
			if kind == "for" {
				p.lasts = time.Duration(pause) * 2 * time.Second
				p.body = fmt.Sprintf("  for = %q\n", p.lasts)
			}
			p.parts = randomParts(t, p, depth-1, n)
		case "fail":
			p.name = fmt.Sprintf("action.s%d", *n)
			// In some rounds only.
			p.body = fmt.Sprintf("  pause = \"%ds\"\n  until = %s\n", pause, rapid.SampledFrom([]string{"2", "RARELY", "RARELY"}).Draw(t, "until"))
		case "breaks":
			p.name, p.body = fmt.Sprintf("action.s%d", *n), fmt.Sprintf("  for = \"%dms\"\n", pause*300)
		default:
			p.name, p.body = fmt.Sprintf("action.s%d", *n), fmt.Sprintf("  for = \"%ds\"\n", pause)
			p.background = rapid.IntRange(0, 3).Draw(t, "background") == 0
			if kind == "many" {
				p.count = many
				p.body = fmt.Sprintf("  count = %d\n  for = \"${1 + (count.index + %d) %% 3}s\"\n", many, pause)
			}
		}
		parts = append(parts, p)
	}
	return parts
}

func (p *part) write(b *strings.Builder) {
	kind, name, _ := strings.Cut(p.name, ".")
	switch {
	case kind == "repeat":
		fmt.Fprintf(b, "repeat %q {\n%s", name, p.body)
	case strings.Contains(p.body, "until"):
		rarely := "1"
		if p.in != nil {
			rarely = "repeat.index == 1 ? 2 : 1"
		}
		fmt.Fprintf(b, "action \"fail\" %q {\n%s", name, strings.ReplaceAll(p.body, "RARELY", rarely))
	case strings.Contains(p.body, "ms"):
		fmt.Fprintf(b, "action \"breaks\" %q {\n%s", name, p.body)
	default:
		fmt.Fprintf(b, "action \"wait\" %q {\n%s", name, p.body)
	}
	if p.never {
		b.WriteString("  when = false\n")
	}
	if p.background {
		b.WriteString("  background = true\n")
	}
	if p.continues {
		b.WriteString("  on_failure = \"continue\"\n")
	}
	for _, inner := range p.parts {
		inner.write(b)
	}
	b.WriteString("}\n")
}

func TestRandomGroupsKeepTheirOrderAndStopWhereTheyMust(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := 0
		parts := randomParts(rt, nil, 2, &n)
		var b strings.Builder
		for _, p := range parts {
			p.write(&b)
		}
		s := written(b.String())
		s.planned = s.plan(t)
		dir, err := os.MkdirTemp(t.TempDir(), "run")
		if err != nil {
			rt.Fatal(err)
		}
		defer os.RemoveAll(dir)
		var p played
		s.within(t, func() { p = s.run(dir) })
		if p.err != nil {
			rt.Fatal(p.err)
		}
		w := newWatcher(rt, parts)
		for _, e := range p.events {
			w.see(e)
		}
		w.end(p)
		if rt.Failed() {
			rt.Log(s.text)
		}
	})
}

// watcher holds the events of a run of random groups against its parts.
type watcher struct {
	t       *rapid.T
	parts   map[string]*part // by address without rounds
	top     []*part
	started map[string]time.Duration
	ended   map[string]event.State
	stopped map[string]string // groups of which nothing more may start, by what
	all     string            // by what nothing more may start at all
	worst   event.State
}

func newWatcher(t *rapid.T, parts []*part) *watcher {
	w := &watcher{t: t, parts: map[string]*part{}, top: parts, started: map[string]time.Duration{}, ended: map[string]event.State{}, stopped: map[string]string{}, worst: event.Passed}
	var add func(prefix string, parts []*part)
	add = func(prefix string, parts []*part) {
		for _, p := range parts {
			w.parts[prefix+p.name] = p
			add(prefix+p.name+"/", p.parts)
		}
	}
	add("", parts)
	return w
}

var roundOf = regexp.MustCompile(`\[(\d+)\]$`)

// around are the groups around an address, innermost first, and the round of
// the innermost; -1 at the top.
func around(address string) (groups []string, round int) {
	round = -1
	for {
		i := strings.LastIndexByte(address, '/')
		if i < 0 {
			return groups, round
		}
		address = address[:i]
		m := roundOf.FindStringSubmatchIndex(address)
		if round < 0 {
			round, _ = strconv.Atoi(address[m[2]:m[3]])
		}
		address = address[:m[0]]
		groups = append(groups, address)
	}
}

var anyRounds = regexp.MustCompile(`\[\d+\]`)

func (w *watcher) part(address string) *part { return w.parts[anyRounds.ReplaceAllString(address, "")] }

func (w *watcher) see(e event.Event) {
	switch b := e.Body.(type) {
	case event.StepStarted:
		w.start(b.Step, e.Mono)
	case event.StepFinished:
		w.finish(b)
	}
}

func (w *watcher) start(address string, at time.Duration) {
	p := w.part(address)
	if _, twice := w.started[address]; twice || p.never {
		w.t.Errorf("%s started, twice %v, never %v", address, twice, p.never)
	}
	w.started[address] = at
	if w.all != "" {
		w.t.Errorf("%s started after %s had stopped the scenario", address, w.all)
	}
	groups, round := around(address)
	for _, g := range groups {
		if by := w.stopped[g]; by != "" {
			w.t.Errorf("%s started after %s had stopped %s", address, by, g)
		}
		if _, over := w.ended[g]; over {
			w.t.Errorf("%s started after the end of %s", address, g)
		}
		if _, begun := w.started[g]; !begun {
			w.t.Errorf("%s started before %s", address, g)
		}
	}
	siblings, prefix := w.top, ""
	if len(groups) > 0 {
		siblings, prefix = p.in.parts, fmt.Sprintf("%s[%d]/", groups[0], round)
		began := w.started[groups[0]]
		if p.in.lasts > 0 && round > 0 && p == siblings[0] && at-began >= p.in.lasts {
			w.t.Errorf("%s began a round %s after %s", address, at-began, groups[0])
		}
	}
	for _, before := range siblings[:slices.Index(siblings, p)] {
		for _, a := range before.addresses(prefix) {
			if _, over := w.ended[a]; !over && !before.background {
				w.t.Errorf("%s started before %s had finished", address, a)
			}
		}
	}
	if round > 0 {
		for _, s := range siblings {
			for _, last := range s.addresses(fmt.Sprintf("%s[%d]/", groups[0], round-1)) {
				if w.ended[last] == "" {
					w.t.Errorf("%s started before %s had finished", address, last)
				}
			}
		}
	}
}

func (w *watcher) finish(b event.StepFinished) {
	if w.ended[b.Step] != "" {
		w.t.Errorf("%s finished twice", b.Step)
	}
	w.ended[b.Step] = b.State
	p := w.part(b.Step)
	groups, _ := around(b.Step)
	if p.never && b.State != event.Skipped {
		w.t.Errorf("%s is %s", b.Step, b.State)
	}
	if !counts(b.State) || len(p.parts) > 0 {
		return
	}
	w.worst = event.Failed
	if p.continues {
		return
	}
	for _, g := range groups {
		if w.part(g).continues {
			if w.stopped[g] == "" {
				w.stopped[g] = b.Step
			}
			return
		}
	}
	if w.all == "" {
		w.all = b.Step
	}
}

func (w *watcher) end(p played) {
	for a := range w.started {
		if w.ended[a] == "" {
			w.t.Errorf("%s never finished", a)
		}
	}
	for _, part := range w.top {
		for _, a := range part.addresses("") {
			if w.ended[a] == "" {
				w.t.Errorf("%s never finished", a)
			}
		}
	}
	if p.State != w.worst {
		w.t.Errorf("the run is %s, want %s", p.State, w.worst)
	}
	if nodes, networks, _ := p.place.Present(); len(nodes)+len(networks) > 0 {
		w.t.Errorf("left: %v %v", nodes, networks)
	}
}
