// Package e2e runs the built program on a real daemon and, for the shipped
// scenarios, on real Ray. It knows the program only from outside: files,
// arguments, exit codes, the run's directory, and what is left on the daemon.
package e2e
