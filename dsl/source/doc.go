// Package source finds scenario files, reads them with all that they include,
// and parses them.
//
// It answers for text: that it can be read, is UTF-8, is HCL, and that no path
// leaves the tree of the scenario's directory. Of what blocks mean it knows
// the scenario block only, which tells a scenario from a library.
package source
