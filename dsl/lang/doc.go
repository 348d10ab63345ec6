// Package lang turns the text of scenario files into checked declarations:
// what a scenario's variants consist of, with every reference bound and every
// expression typed.
//
// Its phases are functions from a value to a value and diagnostics; each goes
// on after an error, so that everything that is wrong with a file is reported
// at once:
//
//	source   read, parse, include                        (dsl/source)
//	decode   blocks, labels, meta-arguments; names and duplicates
//	bind     every reference on every expression, by static types
//	static   variables, locals, matrix, counts: values known early
//	expand   variants and instances, in stable order
//	check    every body evaluated with unknown results of the declared types
//
// The package must not know how anything is carried out: no Docker, no engine,
// no actions. What types there are it is told by a schema.Vocabulary.
package lang
