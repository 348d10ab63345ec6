// Package lang turns the text of scenario files into checked declarations:
// what a scenario's variants consist of, with every reference bound and every
// expression typed.
//
// It goes in phases, each of which goes on after an error, so that everything
// that is wrong with a file is reported at once:
//
//	source   read, parse, include                               (dsl/source)
//	decode   blocks, labels, arguments; names and duplicates    (decode, declare, body)
//	static   variables and the matrix: values known early       (variables, matrix)
//	expand   a variant's instances, in stable order             (build, steps, nodes)
//	check    each body evaluated with unknown results of the
//	         declared types, every part of every expression     (frame, eval, check)
//
// The last two are one walk: to know how many instances there are is to
// evaluate an expression, and to check a body is to evaluate it as well. What
// is needed for that is worked out when it is asked for, and once (expansion).
// At run time the same walk evaluates the same expressions again, with the
// values of a Scope.
//
// A reference to an image block has the value "image.NAME", or what is pulled;
// to a network "network.NAME"; to a volume "volume.NAME". In this form they
// reach the engine in a node's arguments.
//
// The package must not know how anything is carried out: no Docker, no engine,
// no actions. What types there are it is told by a schema.Vocabulary.
package lang
