package junit

import (
	"cmp"
	"encoding/xml"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/report/outcome"
)

type document struct {
	XMLName xml.Name `xml:"testsuites"`
	Name    string   `xml:"name,attr"`
	counts
	Suites []*suite `xml:"testsuite"`
}

// counts are the totals of a suite, or of all.
type counts struct {
	Tests    int     `xml:"tests,attr"`
	Failures int     `xml:"failures,attr"`
	Errors   int     `xml:"errors,attr"`
	Skipped  int     `xml:"skipped,attr"`
	Time     seconds `xml:"time,attr"`
}

type suite struct {
	Name string `xml:"name,attr"`
	counts
	Timestamp string    `xml:"timestamp,attr,omitempty"`
	Cases     []*result `xml:"testcase"`
	began     time.Time
}

type result struct {
	Name      string   `xml:"name,attr"`
	Class     string   `xml:"classname,attr"`
	File      string   `xml:"file,attr"`
	Line      int      `xml:"line,attr,omitempty"`
	Time      seconds  `xml:"time,attr"`
	Failure   *message `xml:"failure"`
	Error     *message `xml:"error"`
	Skipped   *message `xml:"skipped"`
	SystemOut *text    `xml:"system-out"`

	order string // what cases are sorted by; those with the same keep their order
}

type message struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",cdata"`
}

type text struct {
	Text string `xml:",cdata"`
}

// Write writes the report of a run.
func Write(w io.Writer, run *outcome.Run, level Level) error {
	doc := document{Name: "scenario"}
	suites := map[string]*suite{}
	of := func(file string) *suite {
		if suites[file] == nil {
			suites[file] = &suite{Name: plain(file)}
			doc.Suites = append(doc.Suites, suites[file])
		}
		return suites[file]
	}
	for _, f := range run.Invalid {
		of(f.File).add(invalidFile(f), run.Began)
	}
	for _, v := range run.Variants {
		for _, c := range level.cases(run, v) {
			of(v.Started.File).add(c, v.Began)
		}
	}
	slices.SortFunc(doc.Suites, func(a, b *suite) int { return cmp.Compare(a.Name, b.Name) })
	for _, s := range doc.Suites {
		s.finish()
		doc.include(s.counts)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (c *counts) include(other counts) {
	c.Tests += other.Tests
	c.Failures += other.Failures
	c.Errors += other.Errors
	c.Skipped += other.Skipped
	c.Time += other.Time
}

func (s *suite) add(r *result, began time.Time) {
	s.Cases = append(s.Cases, r)
	if s.began.IsZero() || began.Before(s.began) {
		s.began = began
	}
}

// finish puts the cases in order and sums them up.
func (s *suite) finish() {
	slices.SortStableFunc(s.Cases, func(a, b *result) int { return cmp.Compare(a.order, b.order) })
	for _, r := range s.Cases {
		s.include(r.counts())
	}
	if !s.began.IsZero() {
		s.Timestamp = s.began.UTC().Format("2006-01-02T15:04:05")
	}
}

func (r *result) counts() counts {
	c := counts{Tests: 1, Time: r.Time}
	switch {
	case r.Failure != nil:
		c.Failures = 1
	case r.Error != nil:
		c.Errors = 1
	case r.Skipped != nil:
		c.Skipped = 1
	}
	return c
}

// invalidFile is the case of a file that does not load: its diagnostics.
func invalidFile(f event.FileInvalid) *result {
	first := outcome.Diagnostics(f)[0]
	for _, d := range outcome.Diagnostics(f) {
		if d.Severity == "error" {
			first = d
			break
		}
	}
	kind := first.Code
	if kind == "" {
		kind = "invalid"
	}
	return &result{
		order: path.Base(f.File), Name: plain(path.Base(f.File)), Class: class(f.File), File: plain(f.File), Line: first.Place.Line,
		Error: &message{Message: plain(first.Summary), Type: kind, Text: plain(f.Text)},
	}
}

func variant(run *outcome.Run, v *outcome.Variant) *result {
	r := &result{
		order: v.Key, Name: plain(v.Key), Class: class(v.Started.File), File: plain(v.Started.File), Time: toSeconds(v.Seconds()),
	}
	if out := plain(protocol(run, v)); out != "" {
		r.SystemOut = &text{out}
	}
	state, cause := v.Result()
	if state == event.Passed || cause == nil {
		return r
	}
	r.Line = v.Problems()[0].Place.Line
	r.judge(state, &message{Message: plain(cause.Message), Type: kindOf(state, cause), Text: plain(v.Explain())})
	return r
}

// kindOf is the type of a failure or an error, by which CI systems tell them
// apart: what was tested failed, or nothing could be judged.
func kindOf(state event.State, cause *event.Cause) string {
	if cause.Unevaluated {
		return "unevaluated"
	}
	return string(state)
}

// class is a file's path with dots, by which CI systems sort cases into a tree.
func class(file string) string {
	name := strings.TrimSuffix(path.Clean(strings.ReplaceAll(file, `\`, "/")), ".hcl")
	parts := slices.DeleteFunc(strings.Split(name, "/"), func(p string) bool { return p == "" || p == "." || p == ".." })
	return plain(strings.Join(parts, "."))
}
