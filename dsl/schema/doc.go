// Package schema describes what a scenario file can name: actions, faults,
// probes, workloads and node kinds, with their arguments and results.
//
// It is data only. Decoding, static types, diagnostics, conflict checks, the
// reference and editor support are all derived from these values, so that
// nothing about a type is written twice. The package must not know how any of
// it is carried out; that is engine/step.
package schema
