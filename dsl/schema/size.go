package schema

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

var sizeSyntax = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)\s*(?:([kmgt])i?)?b?$`)

// ParseSize reads an amount of bytes as Docker and others write it: 512m, 1.5g, 64MiB, 64Mi.
// Units are powers of 1024.
func ParseSize(s string) (int64, error) {
	m := sizeSyntax.FindStringSubmatch(strings.ToLower(strings.TrimSpace(s)))
	if m == nil {
		return 0, fmt.Errorf("%q is not a size; write it as 512m or 1g", s)
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a size: %w", s, err)
	}
	n *= math.Pow(1024, float64(strings.Index(" kmgt", cmp.Or(m[2], " "))))
	if n > math.MaxInt64/2 {
		return 0, fmt.Errorf("%q is too large", s)
	}
	return int64(n), nil
}

// CheckSize accepts what ParseSize reads.
func CheckSize(v cty.Value) error {
	_, err := ParseSize(v.AsString())
	return err
}
