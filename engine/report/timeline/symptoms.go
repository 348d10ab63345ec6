package timeline

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// symptom is a sign that something does not work, for whom it shows at.
type symptom struct {
	at   time.Duration
	node string // that it is a sign of; empty: of no certain one
	text string
}

// maxSymptoms bounds what a long run keeps; the oldest go first.
const maxSymptoms = 4096

func (v *variant) symptom(at time.Duration, node, text string) {
	if len(v.seen) >= maxSymptoms {
		v.seen = slices.Delete(v.seen, 0, maxSymptoms/2)
	}
	v.seen = append(v.seen, symptom{at, node, text})
}

// manyFaults is how many faults are shown each, whatever came of them. Of more,
// those that were over and did no harm are counted only.
const manyFaults = 4

// drawFaults shows which faults were in effect when it failed, or had been,
// and what was first seen to go wrong after each. Of one that decided the verdict
// itself, that has been said.
func (t *Timeline) drawFaults(v *variant, when time.Duration, decided string) {
	before := slices.DeleteFunc(slices.Clone(v.faults), func(f *faultLife) bool { return f.injected > when })
	if len(before) == 0 {
		return
	}
	t.readSamples(v)
	t.section("faults and what came first after each")
	harmless, laid := 0, v.lay(before, when)
	for _, f := range before {
		came := laid[f]
		over := f.active > 0 && f.healed > 0 && f.healed <= when && f.broken == ""
		if len(before) > manyFaults && over && came.own == nil && came.other == nil {
			harmless++
			continue
		}
		t.drawInfluence(v, f, when)
		if f.step == decided && f.broken != "" {
			continue
		}
		if f.broken != "" {
			t.paragraph("       ", "its state is not known: "+clean(f.broken))
		}
		switch {
		case came.own != nil:
			t.paragraph("       ", "first symptom "+at(v.sinceStart(came.own.at))+": "+clean(came.own.text))
		case f.broken != "": // that itself went wrong
		case came.other == nil:
			t.faint("nothing was seen to go wrong after it")
		case came.other.injected >= f.injected:
			s := v.step(came.other.step)
			t.faint("nothing was seen to go wrong before " + kindOf(s) + " " + stepName(s))
		default:
			t.faint("nothing else was seen to go wrong after it")
		}
	}
	if harmless > 0 {
		t.paragraph("    ", plural(harmless, "more fault")+" healed before, without anything that was seen to go wrong")
	}
}

func (t *Timeline) faint(text string) {
	for _, l := range wrap(text, t.room(7)) {
		t.print("       " + t.palette.dim.Sprint(l))
	}
}

// after is what came after a fault: the first symptom that is laid to it, or, if
// there is none, the fault that the first one after it is laid to.
type after struct {
	own   *symptom
	first *symptom // that is another's
	other *faultLife
}

// lay lays each symptom to one fault: of those that it may be one of, the one that
// it names first itself, or else the last that was injected on its node, or else
// the last. Said below each of them it would explain none.
func (v *variant) lay(all []*faultLife, when time.Duration) map[*faultLife]*after {
	laid, until := map[*faultLife]*after{}, make([]time.Duration, len(all))
	for i, f := range all {
		laid[f], until[i] = &after{}, v.lastOf(f, when)
	}
	for i := range v.seen {
		s := &v.seen[i]
		var may []*faultLife
		for k, f := range all {
			if s.at >= f.injected && s.at <= until[k] {
				may = append(may, f)
			}
		}
		owner := laidTo(*s, may)
		for _, f := range may {
			switch a := laid[f]; {
			case f == owner && (a.own == nil || s.at < a.own.at):
				a.own = s
			case f != owner && (a.first == nil || s.at < a.first.at):
				a.first, a.other = s, owner
			}
		}
	}
	return laid
}

// laidTo is the one of some faults, not none, that a symptom is laid to.
func laidTo(s symptom, may []*faultLife) (owner *faultLife) {
	named := -1
	for _, f := range may {
		if at := mentions(s.text, f.step); at >= 0 && (named < 0 || at < named) {
			owner, named = f, at
		}
	}
	if owner != nil {
		return owner
	}
	isNear := func(f *faultLife) bool { return s.node != "" && slices.Contains(f.nodes, s.node) }
	for _, f := range may {
		if owner == nil || isNear(f) && !isNear(owner) || isNear(f) == isNear(owner) && f.injected >= owner.injected {
			owner = f
		}
	}
	return owner
}

// mentions is where a text names a step, and not one whose address begins or ends
// like it; -1: nowhere.
func mentions(text, step string) int {
	for from := 0; ; {
		i := strings.Index(text[from:], step)
		if i < 0 {
			return -1
		}
		at, end := from+i, from+i+len(step)
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		next, _ := utf8.DecodeRuneInString(text[end:])
		if (at == 0 || !ofAddress(before)) && (end == len(text) || !ofAddress(next)) {
			return at
		}
		from = end
	}
}

// ofAddress says that an address that goes on with a character is another one.
func ofAddress(r rune) bool {
	return strings.ContainsRune("_-[/", r) || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// lastOf is until when a symptom may be one of a fault: until what decided the
// verdict, or, once it has been healed, until the next one is injected.
func (v *variant) lastOf(f *faultLife, when time.Duration) time.Duration {
	until := when + time.Second
	if f.healed == 0 {
		return until
	}
	for _, next := range v.faults {
		if next.injected >= f.healed {
			until = min(until, next.injected)
		}
	}
	return until
}
