package traffic

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
)

// Line is what a job writes: a sample, or, with Stopped, that it has ended.
type Line struct {
	*Sample
	// Settled is the time before which everything that was due has been
	// reported: the due time of the oldest request that has not been.
	Settled int64 `json:"settled,omitempty"`
	// Stopped, on the last line, is when sending ended.
	Stopped int64 `json:"stopped,omitempty"`
}

// Append appends the line as encoding/json would write it, at a tenth of its
// cost: there are thousands of them a second.
func (l Line) Append(b []byte) []byte {
	start := len(b)
	if s := l.Sample; s != nil {
		b = appendNumber(b, `,"seq":`, s.Seq)
		b = appendNumber(b, `,"due":`, s.Due)
		b = appendNumber(b, `,"start":`, s.Start)
		b = appendNumber(b, `,"end":`, s.End)
		b = appendText(append(b, `,"outcome":`...), string(s.Outcome))
		if s.Class != "" {
			b = appendText(append(b, `,"class":`...), string(s.Class))
		}
		if s.Code != 0 {
			b = appendNumber(b, `,"code":`, int64(s.Code))
		}
		if s.Bytes != 0 {
			b = appendNumber(b, `,"bytes":`, s.Bytes)
		}
		b = appendCaptured(b, s.Captured)
		if s.Error != "" {
			b = appendText(append(b, `,"error":`...), s.Error)
		}
	}
	if l.Settled != 0 {
		b = appendNumber(b, `,"settled":`, l.Settled)
	}
	if l.Stopped != 0 {
		b = appendNumber(b, `,"stopped":`, l.Stopped)
	}
	if len(b) == start {
		return append(b, "{}"...)
	}
	b[start] = '{'
	return append(b, '}')
}

func appendNumber(b []byte, name string, n int64) []byte {
	return strconv.AppendInt(append(b, name...), n, 10)
}

func appendCaptured(b []byte, captured map[string]string) []byte {
	if len(captured) == 0 {
		return b
	}
	b = append(b, `,"captured":`...)
	before := byte('{')
	for _, name := range slices.Sorted(maps.Keys(captured)) {
		b = appendText(append(b, before), name)
		b = appendText(append(b, ':'), captured[name])
		before = ','
	}
	return append(b, '}')
}

func appendText(b []byte, s string) []byte {
	if isPlain(s) {
		return append(append(append(b, '"'), s...), '"')
	}
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // every string has a form in JSON
	}
	return append(b, text...)
}

// isPlain says that a string stands in JSON as it is.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

// Parse reads a line into l, whose sample it uses again. One as Append writes
// it takes a tenth of what encoding/json needs, which reads all others.
func (l *Line) Parse(text []byte) error {
	sample := l.Sample
	*l = Line{}
	p := parser{rest: text, sample: sample}
	if p.line(l) {
		return nil
	}
	*l = Line{}
	return json.Unmarshal(text, l)
}

// parser reads what Append writes, and nothing else.
type parser struct {
	rest   []byte
	sample *Sample // may be written to
}

func (p *parser) line(l *Line) (ok bool) {
	if !p.skip("{") {
		return false
	}
	if p.skip(`"seq":`) {
		if l.Sample = p.parseSample(); l.Sample == nil {
			return false
		}
		if !p.skip(",") {
			return p.end()
		}
	}
	if p.skip(`"settled":`) {
		if l.Settled, ok = p.number(); !ok {
			return false
		}
		if !p.skip(",") {
			return p.end()
		}
	}
	if !p.skip(`"stopped":`) {
		return false
	}
	l.Stopped, ok = p.number()
	return ok && p.end()
}

func (p *parser) end() bool { return p.skip("}") && len(p.rest) == 0 }

// parseSample reads a sample from its number on, or returns nil.
func (p *parser) parseSample() *Sample {
	s := p.sample
	if s == nil {
		s = &Sample{}
	}
	captured := s.Captured
	*s = Sample{}
	var ok [6]bool
	s.Seq, ok[0] = p.number()
	s.Due, ok[1] = p.numberOf(`,"due":`)
	s.Start, ok[2] = p.numberOf(`,"start":`)
	s.End, ok[3] = p.numberOf(`,"end":`)
	s.Outcome = p.outcome()
	if s.Outcome == "" {
		return nil
	}
	class, _ := p.field(`,"class":`)
	s.Class = Class(class)
	ok[4], ok[5] = true, true
	if p.has(`,"code":`) {
		var code int64
		code, ok[4] = p.numberOf(`,"code":`)
		s.Code = int(code)
	}
	if p.has(`,"bytes":`) {
		s.Bytes, ok[5] = p.numberOf(`,"bytes":`)
	}
	if p.skip(`,"captured":{`) {
		if s.Captured = p.captured(captured); s.Captured == nil {
			return nil
		}
	}
	s.Error, _ = p.field(`,"error":`)
	if ok != [6]bool{true, true, true, true, true, true} {
		return nil
	}
	return s
}

// outcome reads one of the outcomes, which need no memory of their own.
func (p *parser) outcome() Outcome {
	for _, o := range []Outcome{OK, Failed, Unknown} {
		before := p.rest
		if p.skip(`,"outcome":"`) && p.skip(string(o)) && p.skip(`"`) {
			return o
		}
		p.rest = before
	}
	return ""
}

// captured reads what was captured into a map, or returns nil.
func (p *parser) captured(m map[string]string) map[string]string {
	if m == nil {
		m = map[string]string{}
	}
	clear(m)
	for {
		name, ok := p.text()
		if !ok || !p.skip(":") {
			return nil
		}
		value, ok := p.text()
		if !ok {
			return nil
		}
		m[name] = value
		if p.skip(",") {
			continue
		}
		if p.skip("}") {
			return m
		}
		return nil
	}
}

func (p *parser) has(text string) bool {
	return len(p.rest) >= len(text) && string(p.rest[:len(text)]) == text
}

func (p *parser) skip(text string) bool {
	if !p.has(text) {
		return false
	}
	p.rest = p.rest[len(text):]
	return true
}

// number reads an integer of up to 18 digits, so that it fits.
func (p *parser) number() (int64, bool) {
	negative := p.skip("-")
	var n int64
	i := 0
	for ; i < len(p.rest) && p.rest[i] >= '0' && p.rest[i] <= '9'; i++ {
		n = n*10 + int64(p.rest[i]-'0')
	}
	if i == 0 || i > 19 || i == 19 && n < 1e18 || i > 1 && p.rest[0] == '0' {
		return 0, false
	}
	p.rest = p.rest[i:]
	if negative {
		n = -n
	}
	return n, true
}

func (p *parser) numberOf(name string) (int64, bool) {
	if !p.skip(name) {
		return 0, false
	}
	return p.number()
}

func (p *parser) field(name string) (string, bool) {
	before := p.rest
	if !p.skip(name) {
		return "", false
	}
	text, ok := p.text()
	if !ok {
		p.rest = before
	}
	return text, ok
}

// text reads a string that stands in JSON as it is.
func (p *parser) text() (string, bool) {
	if !p.skip(`"`) {
		return "", false
	}
	for i, c := range p.rest {
		switch {
		case c == '"':
			text := string(p.rest[:i])
			p.rest = p.rest[i+1:]
			return text, true
		case c < ' ' || c >= 0x7f || c == '\\':
			return "", false
		}
	}
	return "", false
}
