package schema

import (
	"fmt"
	"path"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// checkPaths accepts a map whose keys are absolute paths as a node has them,
// without ".." and the like. The values may be unknown.
func checkPaths(v cty.Value) error {
	return eachKey(v, func(key string) error {
		if !path.IsAbs(key) {
			return fmt.Errorf("%q is not an absolute path in the node", key)
		}
		if clean := path.Clean(key); clean != key {
			return fmt.Errorf("%q is not a plain path; write %q", key, clean)
		}
		return nil
	})
}

// checkEnvNames accepts a map whose keys can be names of environment variables.
func checkEnvNames(v cty.Value) error {
	return eachKey(v, func(key string) error {
		if key == "" || strings.ContainsAny(key, "=\x00") {
			return fmt.Errorf("%q can't be the name of an environment variable", key)
		}
		return nil
	})
}

func eachKey(v cty.Value, check func(string) error) error {
	for it := v.ElementIterator(); it.Next(); {
		key, _ := it.Element()
		if err := check(key.AsString()); err != nil {
			return err
		}
	}
	return nil
}
