package funcs

import (
	"regexp"
	"time"

	"github.com/zclconf/go-cty/cty"
)

// Match is a regular expression that a call looks for in a text. Go's take time in
// proportion to the length of the text and, at worst, to how many of their states
// are possible at once. Mostly few are, which is seen only by trying.
type Match struct {
	pattern, text string
	passes        int
}

const (
	// perState is what a state takes for a byte, at worst: where all states of a
	// loop of a? are possible, 24 to 48 ns were measured.
	perState = 40 * time.Nanosecond
	// statesChecked are the states for each of a byte that count as one part of an
	// expression: what a file says takes a second at most.
	statesChecked = 25
	// tried is how long Estimate takes at worst, and triedIn in how many places.
	tried   = 200 * time.Millisecond
	triedIn = 8
)

// MatchOf is the regular expression that a call looks for, if it does.
func MatchOf(name string, args []cty.Value) (m Match, ok bool) {
	text := func(i int) string {
		if i >= len(args) {
			return ""
		}
		return textOf(args[i])
	}
	switch name {
	case "regex":
		return Match{text(0), text(1), 1}, true
	case "regexall": // once to count
		return Match{text(0), text(1), 2}, true
	case "regexreplace":
		return Match{text(1), text(0), 2}, true
	case "replace":
		if pattern, ok := between(text(1), '/'); ok {
			return Match{pattern, text(0), 2}, true
		}
	}
	return Match{}, false
}

// Work is what it takes at worst, as Work of a call has it.
func (m Match) Work() int {
	return len(m.text) * m.passes * m.states() / statesChecked
}

// states are those that take time. A text that is looked for as it is has none.
func (m Match) states() int {
	n := states(m.pattern)
	if n == 0 || n > maxStates || regexp.QuoteMeta(m.pattern) == m.pattern {
		return 0 // it is none, or refused
	}
	return n
}

// Length is that of the text, in bytes.
func (m Match) Length() int { return len(m.text) }

// Longest is how long it takes at worst.
func (m Match) Longest() time.Duration {
	return time.Duration(len(m.text)*m.passes) * time.Duration(m.states()) * perState
}

// Estimate is how long it is going to take, told from pieces of the text.
func (m Match) Estimate() time.Duration {
	re, err := regexp.Compile(m.pattern)
	if err != nil {
		return 0
	}
	each := max(1024, int(tried/perState)/triedIn/max(1, m.states()))
	if len(m.text) <= each*triedIn {
		return 0 // trying takes as long
	}
	start := time.Now()
	for i := range triedIn {
		from := i * (len(m.text) - each) / (triedIn - 1)
		re.FindAllStringIndex(m.text[from:from+each], -1)
	}
	return time.Since(start) * time.Duration(len(m.text)/(each*triedIn)*m.passes)
}
