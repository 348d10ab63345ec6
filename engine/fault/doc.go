// Package fault keeps what is known of faults: the life of each, with its
// times, and the journal on disk from which another process can undo what this
// one did not live to undo.
//
// What a fault does to a node is its definition's business (engine/step); when
// it is injected and healed is the engine's.
package fault
