package lang

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"

	"github.com/scenario-run/scenario/dsl/diag"
)

// hclCodes are the codes for what hcl says when it evaluates, by its summaries.
var hclCodes = map[string]diag.Code{
	"Invalid operand":                          diag.WrongOperand,
	"Operation failed":                         diag.WrongOperand,
	"Incorrect condition type":                 diag.NotBool,
	"Inconsistent conditional result types":    diag.WrongType,
	"Null condition":                           diag.NullValue,
	"Condition is null":                        diag.NullValue,
	"Invalid index":                            diag.BadIndex,
	"Attempt to index null value":              diag.NullValue,
	"Attempt to get attribute from null value": diag.NullValue,
	"Unsupported attribute":                    diag.UnknownAttribute,
	"Missing map element":                      diag.UnknownAttribute,
	"Iteration over null value":                diag.NullValue,
	"Iteration over non-iterable value":        diag.WrongType,
	"Splat of null value":                      diag.NullValue,
	"Invalid template interpolation value":     diag.WrongType,
	"Null value as key":                        diag.NullValue,
	"Incorrect key type":                       diag.WrongType,
	"Invalid object key":                       diag.WrongType,
	"Duplicate object key":                     diag.DuplicateValue,
	"Invalid 'for' condition":                  diag.NotBool,
}

// adopt gives hcl's diagnostics a code and a place.
func adopt(fallback hcl.Range, diags hcl.Diagnostics) hcl.Diagnostics {
	var all hcl.Diagnostics
	for _, d := range diags {
		code, ok := hclCodes[d.Summary]
		if !ok {
			code = diag.CannotEvaluate
		}
		all = append(all, adoptAs(code, fallback, hcl.Diagnostics{d})...)
	}
	return all
}

// adoptAs is adopt with a code of the caller's.
func adoptAs(code diag.Code, fallback hcl.Range, diags hcl.Diagnostics) hcl.Diagnostics {
	return diag.Adopt(code, fallback, diags)
}

func lowerFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(r)) + s[n:]
}

func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + strings.TrimSuffix(s[n:], ".")
}
