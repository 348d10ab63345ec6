// Package plan turns a variant's declarations into a graph: what is done, on
// which nodes, and what each thing waits for and why.
//
// Same files, variables and seed give the same plan, to the byte. It has a
// printed form and a JSON form. The executor carries it out and decides
// nothing that could be decided here; the package touches nothing outside.
package plan
