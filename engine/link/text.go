package link

import (
	"bytes"
	"encoding"
	"fmt"
	"net/netip"
	"strconv"
)

// A rule is written as a line: "out lose 30 10.0.0.2 tcp 80", with a dash for
// what it doesn't name. Agents and engine exchange thousands of them while a step
// waits, and the kernel keeps one beside each rule.
var (
	_ encoding.TextAppender    = Rule{}
	_ encoding.TextUnmarshaler = (*Rule)(nil)
)

const unnamed = "-"

// AppendText writes the rule.
func (r Rule) AppendText(b []byte) ([]byte, error) {
	b = append(append(b, r.Way...), ' ')
	b = append(append(b, r.Verdict...), ' ')
	b = strconv.AppendFloat(b, r.Percent, 'g', -1, 64)
	b = append(b, ' ')
	if r.Peer.IsValid() {
		b = r.Peer.AppendTo(b)
	} else {
		b = append(b, unnamed...)
	}
	b = append(b, ' ')
	if r.Protocol != "" {
		b = append(b, r.Protocol...)
	} else {
		b = append(b, unnamed...)
	}
	b = append(b, ' ')
	return strconv.AppendInt(b, int64(r.Port), 10), nil
}

// MarshalText writes the rule.
func (r Rule) MarshalText() ([]byte, error) { return r.AppendText(make([]byte, 0, 64)) }

// UnmarshalText reads a rule. Words that it doesn't know are for whoever puts it
// in force to refuse.
func (r *Rule) UnmarshalText(text []byte) (err error) {
	var parts [6]string
	n := 0
	for part := range bytes.SplitSeq(text, []byte(" ")) {
		if n == len(parts) {
			return fmt.Errorf("%q is no rule: it has more than %d parts", text, len(parts))
		}
		parts[n] = string(part)
		n++
	}
	if n < len(parts) {
		return fmt.Errorf("%q is no rule: it has %d parts, not %d", text, n, len(parts))
	}
	read := Rule{Way: Way(parts[0]), Verdict: Verdict(parts[1])}
	if read.Percent, err = strconv.ParseFloat(parts[2], 64); err != nil {
		return fmt.Errorf("%q is no rule: %w", text, err)
	}
	if parts[3] != unnamed {
		if read.Peer, err = netip.ParseAddr(parts[3]); err != nil {
			return fmt.Errorf("%q is no rule: %w", text, err)
		}
	}
	if parts[4] != unnamed {
		read.Protocol = Protocol(parts[4])
	}
	if read.Port, err = strconv.Atoi(parts[5]); err != nil {
		return fmt.Errorf("%q is no rule: %w", text, err)
	}
	*r = read
	return nil
}
