// Package doctor looks at a machine as runs will find it: the place where nodes
// live, the kernel, the disk, what earlier runs left. Of each it says how it
// stands and, where something is missing, what that does to scenarios and which
// command mends it.
//
// It tries rather than asks where that can be done, and takes away what it made
// for it. What types need of a machine it reads from the types; the package
// must not know any by name.
package doctor
