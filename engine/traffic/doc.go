// Package traffic sends requests and says what became of each: the HTTP client
// of probes and actions, and the open-loop generator of workloads.
//
// It runs in the engine and, as a job, inside the agent, so it knows nothing of
// files, steps or nodes: a job gets its specification as JSON and writes one
// line per sample. What samples mean together is engine/workload's business.
package traffic
