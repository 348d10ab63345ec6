// Package guardian removes what a run leaves when its process does not live to
// do so.
//
// A guardian is a second process of the same binary, in a session of its own,
// that holds the reading end of a pipe. When the pipe closes without a word of
// farewell, the engine is gone: the guardian thaws what is paused and removes
// whatever carries the run's label. Where it was killed too, the next run
// sweeps what belongs to processes that are gone.
//
// The package must not know scenarios, plans or steps: it works by the labels
// of a runtime and by the journal of faults alone.
package guardian
