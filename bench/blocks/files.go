package main

import (
	"bytes"
	"fmt"
)

// shape says which block above each block of a file takes its value from.
type shape struct {
	name string
	of   func(i int) int
}

func shapes() []shape {
	return []shape{
		{"chain", func(i int) int { return i - 1 }},
		{"tree", func(i int) int { return i / 10 }},
	}
}

// file is a scenario of n notes. All but the first keep one more than another
// above has kept, so that nothing about them is known before a run but types.
func (s shape) file(n int) []byte {
	var b bytes.Buffer
	b.WriteString("scenario \"blocks\" {}\n\naction \"note\" \"n0\" {\n  values = 0\n}\n")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "\naction \"note\" \"n%d\" {\n  values = action.n%d.values + 1\n}\n", i, s.of(i))
	}
	return b.Bytes()
}
