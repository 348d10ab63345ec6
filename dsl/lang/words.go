package lang

import (
	"strconv"
	"strings"
)

// plural writes a number with a noun: no label, one label, 3 labels.
func plural(n int, noun string) string {
	if n == 1 {
		return "one " + noun
	}
	return number(n) + " " + noun + "s"
}

func number(n int) string {
	switch n {
	case 0:
		return "no"
	case 1:
		return "one"
	}
	return strconv.Itoa(n)
}

// butGiven ends a sentence about how many there must be.
func butGiven(n int) string {
	if n == 0 {
		return ", and none is given"
	}
	return ", not " + number(n)
}

// article puts a or an before a noun.
func article(noun string) string {
	if strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

// word is what the things are called that a root refers to.
func word(root string) string {
	if root == rootVar {
		return "variable"
	}
	return root
}
