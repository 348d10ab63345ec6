package funcs

import (
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"
)

// WorkOf is how a call is counted.
type WorkOf func(name string, args []cty.Value) int

// UsualWork is Work with regular expressions counted as they mostly are: for what is
// filled in while a scenario runs, where no time is taken of a single call.
func UsualWork(name string, args []cty.Value) int {
	if m, ok := MatchOf(name, args); ok {
		return m.Work() / 8
	}
	return Work(name, args)
}

// Work is what a call takes beside reading its arguments once, in pieces of text
// of 64 bytes, known before it is made. Of most functions that is nothing.
func Work(name string, args []cty.Value) int {
	text := func(i int) string {
		if i >= len(args) {
			return ""
		}
		return textOf(args[i])
	}
	if m, ok := MatchOf(name, args); ok {
		return m.Work()
	}
	switch name {
	case "length", "strlen", "strrev", "substr": // go by characters as they are seen
		return len(text(0)) / 32
	case "trim":
		if cut := text(1); !isASCII(cut) { // each character is looked for in it
			return len(text(0)) / 64 * (len(cut) / 16)
		}
	case "jsondecode": // reads each level by itself
		depth, _ := outline(text(0), true)
		return len(text(0))/64*depth + numbers(text(0))
	case "yamldecode":
		return len(text(0))/8 + numbers(text(0))
	}
	return 0
}

// numbers is what it takes to read the long numbers in a text, which grows with
// the square of their length.
func numbers(text string) (work int) {
	const long = 1000
	run := 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && text[i] >= '0' && text[i] <= '9' {
			run++
			continue
		}
		if run > long {
			work += run / long * (run / 100)
		}
		run = 0
	}
	return work
}

// between is what stands between a character at the beginning and at the end.
func between(s string, c byte) (string, bool) {
	if len(s) < 2 || s[0] != c || s[len(s)-1] != c {
		return "", false
	}
	return s[1 : len(s)-1], true
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
