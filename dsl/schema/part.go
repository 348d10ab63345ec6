package schema

import "github.com/zclconf/go-cty/cty"

// PartError says which part of a value a check finds fault with.
type PartError struct {
	Path cty.Path // to the element or attribute
	// OfKey says that it is the key of the last step that is wrong, not the value.
	OfKey bool
	// Known are what may have been meant.
	Known []string
	Err   error
}

func (e *PartError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong with the part.
func (e *PartError) Unwrap() error { return e.Err }

// KeyError blames a key of a map or object, for which known ones may have been
// meant.
func KeyError(key string, err error, known ...string) error {
	return &PartError{Path: cty.GetAttrPath(key), OfKey: true, Known: known, Err: err}
}

// ElementError blames an element of a list, for which known ones may have been
// meant.
func ElementError(i int, err error, known ...string) error {
	return &PartError{Path: cty.IndexIntPath(i), Known: known, Err: err}
}
