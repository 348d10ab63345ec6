// Package diag makes, orders and writes diagnostics: what is wrong with a
// file, where, and what to do about it.
//
// Every diagnostic has a stable code that can be looked up, and a place. The
// package must not know what files mean; it sees text and ranges only.
package diag
