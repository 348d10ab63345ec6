// Package github writes how a run went as annotations of GitHub Actions: at the
// line of a file at which a person would look first.
//
// What ends a run with an exit code of its own is an error, a file's warnings
// are warnings, and a run that was cancelled is a notice. At most ten are
// written, since GitHub shows no more; the last then says how many there are.
package github
