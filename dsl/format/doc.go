// Package format puts a file of the language into its canonical form.
//
// It changes the layout of a file and nothing else: what a formatted file means
// is what it meant before. It knows the syntax, not the language: blocks and
// arguments that don't exist are laid out like any other.
package format
