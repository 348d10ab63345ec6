// Package chaos is the fault that injects other faults: chosen by the seed, one
// after the other, within bounds that the file states.
//
// What is injected when hangs on the arguments and the seed alone, never on how
// long anything takes: so the same seed repeats it. The package knows of the
// other faults only what their types say.
package chaos
