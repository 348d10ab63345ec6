// Package dag answers questions about directed graphs that are given as a
// function from a node to what it depends on. It knows nothing of what the
// nodes are.
//
// All answers are deterministic: they depend on the order in which nodes and
// dependencies are given, and on nothing else.
package dag
