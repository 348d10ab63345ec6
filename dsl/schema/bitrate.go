package schema

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

var bitrateSyntax = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)\s*([kmg]?)bit(?:/s)?$`)

// What bit rates may be: with less a packet takes longer than anybody waits for
// it, more is what a machine hardly sends from one container to another.
const (
	leastBitrate = 1_000
	mostBitrate  = 10_000_000_000
)

// ParseBitrate reads a number of bits per second as tc writes it: 500kbit,
// 1.5mbit, 1gbit. Units are powers of 1000.
func ParseBitrate(s string) (int64, error) {
	m := bitrateSyntax.FindStringSubmatch(strings.ToLower(strings.TrimSpace(s)))
	if m == nil {
		return 0, fmt.Errorf("%q is not a bit rate; write it as 500kbit, 1mbit or 1gbit", s)
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a bit rate: %w", s, err)
	}
	n *= map[string]float64{"": 1, "k": 1e3, "m": 1e6, "g": 1e9}[m[2]]
	switch {
	case n < leastBitrate:
		return 0, fmt.Errorf("must be 1kbit or more: with %s a packet takes longer than anybody waits for it", s)
	case n > mostBitrate:
		return 0, fmt.Errorf("must be at most 10gbit: %s is more than a machine sends from one node to another, and would limit nothing", s)
	}
	// Kernels count bytes.
	return int64(n) / 8 * 8, nil
}

// CheckBitrate accepts what ParseBitrate reads.
func CheckBitrate(v cty.Value) error {
	_, err := ParseBitrate(v.AsString())
	return err
}
