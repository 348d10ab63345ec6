// Package fake is a runtime.Runtime in memory, for the tests of what stands on
// one.
//
// Nodes do what their Script says, every call can be made to fail, and nothing
// happens that a test did not ask for. It must not know what uses it: it says
// what a place would say, as the conformance suite states it.
package fake
