package main

import (
	"strings"
	"testing"
)

func TestAnExpressionOverTagsHasALength(t *testing.T) {
	if _, err := parseTags(strings.Repeat("(", 90_000) + "a"); err == nil || !strings.Contains(err.Error(), "at most 4096") {
		t.Errorf("90,000 parentheses: %v", err)
	}
}
