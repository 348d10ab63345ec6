package workload

import (
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
)

// Value is the statistics as expressions see them: of the type that
// schema.Statistics describes with CapturedType. What has no value is unknown.
func (s Stats) Value(captures []string) cty.Value {
	total := cty.NumberIntVal(int64(s.Total))
	if s.Pending {
		total = cty.UnknownVal(cty.Number)
	}
	count := func(n int) cty.Value {
		if s.Total == 0 {
			return cty.UnknownVal(cty.Number)
		}
		return cty.NumberIntVal(int64(n))
	}
	v := map[string]cty.Value{
		"total":            total,
		"ok":               count(s.OK),
		"failed":           count(s.Failed),
		"unknown":          count(s.Unknown),
		"late":             count(s.Late),
		"error_rate":       number(s.ErrorRate),
		"rate":             number(s.Rate),
		"max_gap_seconds":  seconds(s.MaxGap),
		"recovery_seconds": seconds(s.Recovery),
		"p50_seconds":      seconds(s.P50),
		"p90_seconds":      seconds(s.P90),
		"p99_seconds":      seconds(s.P99),
		"max_seconds":      seconds(s.Max),
		"classes":          s.classesValue(),
		"captured":         s.stringsValue(captures, s.Captured),
		"duplicates":       s.stringsValue(captures, s.Duplicates),
	}
	return cty.ObjectVal(v)
}

// CapturedType is the type of captured and duplicates of a workload that
// captures those names: an object with a list of strings for each.
func CapturedType(captures []string) cty.Type {
	attrs := map[string]cty.Type{}
	for _, name := range captures {
		attrs[name] = cty.List(cty.String)
	}
	return cty.Object(attrs)
}

// Type is the type of the statistics of a workload that captures those names.
func Type(captures []string) cty.Type {
	return schema.Statistics(CapturedType(captures)).Type()
}

func (s Stats) classesValue() cty.Value {
	switch {
	case s.Total == 0:
		return cty.UnknownVal(cty.Map(cty.Number))
	case len(s.Classes) == 0:
		return cty.MapValEmpty(cty.Number)
	}
	m := map[string]cty.Value{}
	for class, n := range s.Classes {
		m[string(class)] = cty.NumberIntVal(int64(n))
	}
	return cty.MapVal(m)
}

func (s Stats) stringsValue(captures []string, lists map[string][]string) cty.Value {
	attrs := map[string]cty.Value{}
	for _, name := range captures {
		list := make([]cty.Value, 0, len(lists[name]))
		for _, text := range lists[name] {
			list = append(list, cty.StringVal(text))
		}
		switch {
		case s.Total == 0:
			attrs[name] = cty.UnknownVal(cty.List(cty.String))
		case len(list) == 0:
			attrs[name] = cty.ListValEmpty(cty.String)
		default:
			attrs[name] = cty.ListVal(list)
		}
	}
	return cty.ObjectVal(attrs)
}

func number(f *float64) cty.Value {
	if f == nil {
		return cty.UnknownVal(cty.Number)
	}
	return cty.NumberFloatVal(*f)
}

func seconds(d *time.Duration) cty.Value {
	if d == nil {
		return cty.UnknownVal(cty.Number)
	}
	return cty.NumberFloatVal(d.Seconds())
}
