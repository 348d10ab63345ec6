// Package kernel tries out what the kernel of this machine can do for faults on
// links. It has to be run in a network namespace that nobody else uses.
package kernel
