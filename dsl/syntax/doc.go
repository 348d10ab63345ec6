// Package syntax parses text as HCL native syntax, and goes on where a part of
// it can't be parsed: a mistake in one block costs nothing but that block.
//
// It knows nothing of what blocks mean, and words nothing: what hcl says is
// handed on as it is.
package syntax
