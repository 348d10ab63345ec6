package schema

import (
	"errors"
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// checkPaths accepts a map whose keys are absolute paths of files as a node has
// them, without ".." and the like. The values may be unknown.
func checkPaths(v cty.Value) error {
	return eachKey(v, func(key string) error {
		if err := CheckNodePath(key); err != nil {
			return err
		}
		for _, top := range kernelPaths {
			if key == top || strings.HasPrefix(key, top+"/") {
				return fmt.Errorf("%q is the kernel's: no file can be put below %s", key, top)
			}
		}
		return nil
	})
}

// CheckEnvNames accepts a map whose keys can be names of environment variables.
func CheckEnvNames(v cty.Value) error {
	return eachKey(v, func(key string) error {
		if key == "" || strings.ContainsAny(key, "=\x00") {
			return fmt.Errorf("%q can't be the name of an environment variable", key)
		}
		return nil
	})
}

func eachKey(v cty.Value, check func(string) error) error {
	var all []error
	for it := v.ElementIterator(); it.Next(); {
		key, _ := it.Element()
		if err := check(key.AsString()); err != nil {
			all = append(all, KeyError(key.AsString(), err))
		}
	}
	return errors.Join(all...)
}
