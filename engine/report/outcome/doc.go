// Package outcome gathers from events how a run went: which files could not be
// loaded, what each variant and each of its steps came to, and where. Reports
// that are written at the end of a run are functions of it. It knows nothing
// but events.
package outcome
