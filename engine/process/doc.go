// Package process says what is known of the processes in a node, and how one
// names those that are meant.
//
// It is data only. How processes are looked at and signalled is the agent's
// business (engine/agent/procfs), what for is that of faults and probes.
package process
