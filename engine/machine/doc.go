// Package machine finds out what the machine that nodes live on can do for
// faults: it has an agent try it, in a network namespace of its own, and keeps
// the answer for the next run.
//
// Runs ask it, and whoever wants to tell a person what a machine can't do.
package machine
