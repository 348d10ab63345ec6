package schema

import (
	"fmt"
	"regexp"
	"time"

	"github.com/zclconf/go-cty/cty"
)

// CheckDuration accepts strings of Go's duration syntax that are not negative,
// such as "1m30s".
func CheckDuration(v cty.Value) error {
	d, err := time.ParseDuration(v.AsString())
	if err != nil {
		return fmt.Errorf("%q is not a duration; write it as 500ms, 10s or 1m30s", v.AsString())
	}
	if d < 0 {
		return fmt.Errorf("a duration can't be negative")
	}
	return nil
}

// CheckPositiveDuration is CheckDuration without zero.
func CheckPositiveDuration(v cty.Value) error {
	if err := CheckDuration(v); err != nil {
		return err
	}
	if d, _ := time.ParseDuration(v.AsString()); d == 0 {
		return fmt.Errorf("must be longer than 0s")
	}
	return nil
}

// CheckRegexp accepts strings of Go's regular expression syntax (RE2).
func CheckRegexp(v cty.Value) error {
	if _, err := regexp.Compile(v.AsString()); err != nil {
		return fmt.Errorf("%q is not a regular expression: %w", v.AsString(), err)
	}
	return nil
}
