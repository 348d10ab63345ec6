// Package reference is the language as people and programs look it up: every
// block, argument, type, function, statistic and code, as topics that can be
// found by their words, written for a terminal or as Markdown, and as JSON.
//
// Nothing about the language is said here that is known elsewhere: shapes and
// documentation come from dsl/lang, dsl/funcs, dsl/diag and the vocabulary.
// What is added are examples and, for each code, what it means. The package
// must not know how anything is carried out.
package reference
