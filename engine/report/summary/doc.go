// Package summary sums a run up as one JSON document, for programs that want
// to know how it went without reading every event. It must not know anything
// but events.
package summary
