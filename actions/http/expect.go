package http

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/step"
	"github.com/scenario-run/scenario/engine/traffic"
)

// expectNames are the attributes of expect.
var expectNames = []string{"body", "json", "status"}

// checkExpect says what is wrong with an expect as far as it is known.
func checkExpect(v cty.Value) error {
	_, err := parseExpect(v)
	return err
}

// parseExpect reads an expect; what is not known yet is passed over.
func parseExpect(v cty.Value) (traffic.Expect, error) {
	var e traffic.Expect
	if v.IsNull() || !v.IsKnown() {
		return e, nil
	}
	if !v.Type().IsObjectType() && !v.Type().IsMapType() {
		return e, fmt.Errorf("must be an object such as { status = 200 }")
	}
	fields := v.AsValueMap()
	var all []error
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(expectNames, name) {
			all = append(all, schema.KeyError(name, fmt.Errorf("has no %q; it takes %s", name, strings.Join(expectNames, ", ")), expectNames...))
			continue
		}
		field := fields[name]
		if field.IsNull() || !field.IsWhollyKnown() {
			continue
		}
		var err error
		switch name {
		case "status":
			e.Status, err = parseStatus(field)
		case "body":
			e.Body, err = parseBody(field)
		case "json":
			e.JSON, err = parseJSON(field)
		}
		if err != nil {
			all = append(all, &schema.PartError{Path: cty.GetAttrPath(name), Err: fmt.Errorf("%s: %w", name, err)})
		}
	}
	return e, errors.Join(all...)
}

// parseStatus reads one status or a list of them.
func parseStatus(v cty.Value) ([]int, error) {
	values := []cty.Value{v}
	if v.CanIterateElements() {
		values = v.AsValueSlice()
	}
	var list []int
	for _, v := range values {
		if v.IsNull() || v.Type() != cty.Number {
			return nil, fmt.Errorf("must be a number or a list of numbers")
		}
		n, _ := v.AsBigFloat().Float64()
		if n < 100 || n > 599 || n != float64(int(n)) {
			return nil, fmt.Errorf("%v is not a status; they go from 100 to 599", n)
		}
		list = append(list, int(n))
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("is empty: no status would do")
	}
	return list, nil
}

func parseBody(v cty.Value) (string, error) {
	if v.Type() != cty.String {
		return "", fmt.Errorf("must be a regular expression as a string")
	}
	return v.AsString(), schema.CheckRegexp(v)
}

func parseJSON(v cty.Value) (map[string]json.RawMessage, error) {
	if !v.Type().IsObjectType() && !v.Type().IsMapType() {
		return nil, fmt.Errorf(`must be a map from paths to values, such as { "user.name" = "ada" }`)
	}
	fields := map[string]json.RawMessage{}
	for path, want := range v.AsValueMap() {
		text, err := step.ValueJSON(want)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", path, err)
		}
		fields[path] = text
	}
	return fields, nil
}
