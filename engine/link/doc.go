// Package link says what faults do to the packets between nodes: as links from
// one end to another, which is how a file names them, and as the rules that
// each end has to put in force for all of them together.
//
// It is data and arithmetic only. How rules get into a node's kernel is the
// agent's business (engine/agent/rules), when they do is the engine's.
package link
