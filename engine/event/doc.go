// Package event is the record of a run: one ordered stream of typed events,
// one line of NDJSON each.
//
// Timeline, reports and verdict files are functions of this stream (and of the
// sample and log files that it names), so a run that crashed can be reported
// and a new output needs no change to the engine. The package must not know
// who writes events or who reads them.
package event
