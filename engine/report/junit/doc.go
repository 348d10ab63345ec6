// Package junit writes how a run went as JUnit XML, for CI systems: a testsuite
// for each file, a testcase for each variant.
//
// A failure is what the system under test did wrong, an error what keeps the run
// from saying so: a broken lab, too little seen, a file that does not load. What
// was cancelled is skipped. The order does not depend on the order of events,
// the totals add up, and what XML can't hold is left out.
package junit
