package engine

import (
	"encoding/json"
	"time"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/fault"
)

// record is what is kept of a step.
type record struct {
	state          event.State
	started, ended time.Time
	attempts       int
	err            string
	result         cty.Value // of its type's own; NilVal until it passed
	life           *fault.Life
}

// instance is the step as expressions see it now. What it does not have yet is
// unknown; what it never will have is null.
func (v *vertex) instance() cty.Value {
	attrs := map[string]cty.Value{}
	for name, t := range v.resultType().AttributeTypes() {
		attrs[name] = v.attr(name, t)
	}
	return cty.ObjectVal(attrs)
}

func (v *vertex) resultType() cty.Type {
	if v.Step.Result == cty.NilType {
		return schema.StepAttrs.Type()
	}
	return v.Step.Result
}

func (v *vertex) attr(name string, t cty.Type) cty.Value {
	r := &v.record
	over := v.at == finished
	switch name {
	case "address":
		return cty.StringVal(v.Step.Address)
	case "state":
		return cty.StringVal(string(r.state))
	case "started_at":
		return timeVal(r.started, over || v.at >= started)
	case "ended_at":
		return timeVal(r.ended, over)
	case "elapsed_seconds":
		if over && !r.started.IsZero() {
			return cty.NumberFloatVal(r.ended.Sub(r.started).Seconds())
		}
	case "attempts":
		if over && r.attempts > 0 {
			return cty.NumberIntVal(int64(r.attempts))
		}
	case "rounds":
		if v.ends != nil && over && r.state != event.Skipped {
			return cty.NumberIntVal(int64(v.ends.rounds.ended))
		}
	case "error":
		if r.err != "" {
			return cty.StringVal(r.err)
		}
	default:
		if val, ok := v.faultAttr(name); ok {
			return val
		}
		if r.result != cty.NilVal && r.result.Type().IsObjectType() && r.result.Type().HasAttribute(name) {
			return r.result.GetAttr(name)
		}
	}
	if over {
		return cty.NullVal(t)
	}
	return cty.UnknownVal(t)
}

// faultAttr is an attribute that faults have beside their own.
func (v *vertex) faultAttr(name string) (cty.Value, bool) {
	l := v.record.life
	if l == nil {
		return cty.NilVal, false
	}
	switch name {
	case "injected_at":
		return timeVal(l.Injected, false), true
	case "active_at":
		return timeVal(l.Active, v.at == finished), true
	case "healed_at":
		return timeVal(l.Healed, true), true
	case "hits":
		return stringList(l.Hits), true
	}
	return cty.NilVal, false
}

// timeVal is a time; without one, null if it is certain that it is not there
// now.
func timeVal(t time.Time, certain bool) cty.Value {
	switch {
	case !t.IsZero():
		return cty.StringVal(t.UTC().Format(time.RFC3339Nano))
	case certain:
		return cty.NullVal(cty.String)
	default:
		return cty.UnknownVal(cty.String)
	}
}

func stringList(list []string) cty.Value {
	if len(list) == 0 {
		return cty.ListValEmpty(cty.String)
	}
	vals := make([]cty.Value, len(list))
	for i, s := range list {
		vals[i] = cty.StringVal(s)
	}
	return cty.ListVal(vals)
}

// typed converts a result to the types that its step declares. A result that
// does not fit is a bug of the type that made it.
func typed(result cty.Value, want cty.Type) (cty.Value, error) {
	if result == cty.NilVal || !result.Type().IsObjectType() {
		return cty.EmptyObjectVal, nil
	}
	attrs := map[string]cty.Value{}
	for name, val := range result.AsValueMap() {
		if want != cty.NilType && want.IsObjectType() && want.HasAttribute(name) {
			conv, err := convert.Convert(val, want.AttributeType(name))
			if err != nil {
				return cty.NilVal, cty.GetAttrPath(name).NewError(err)
			}
			val = conv
		}
		attrs[name] = val
	}
	return cty.ObjectVal(attrs), nil
}

// resultJSON is a value as JSON, each unknown part of it null.
func resultJSON(v cty.Value) json.RawMessage {
	if v == cty.NilVal || v.RawEquals(cty.EmptyObjectVal) {
		return nil
	}
	v, _ = v.UnmarkDeep()
	v, err := cty.Transform(v, func(_ cty.Path, v cty.Value) (cty.Value, error) {
		if !v.IsKnown() {
			return cty.NullVal(v.Type()), nil
		}
		return v, nil
	})
	if err != nil {
		return marshal("(" + err.Error() + ")")
	}
	b, err := ctyjson.SimpleJSONValue{Value: v}.MarshalJSON()
	if err != nil {
		return marshal("(" + err.Error() + ")")
	}
	return b
}
