// Package funcs is the table of functions that expressions can call.
//
// Every function is a function of its arguments, the files of the scenario and
// the seed: no clock, no random source, no environment, so that the same files,
// variables and seed give the same plan. The window functions are not here;
// they take references, not values, and belong to dsl/lang.
package funcs
