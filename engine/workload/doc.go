// Package workload keeps the samples of a workload and says what they mean
// together: the statistics of windows of time.
//
// Everything is computed from the samples and nothing else, so that a report
// made from a sample file says the same as the run did. The package must not
// know who sends the traffic, nor what a window is bounded by.
//
// # What is counted
//
// A sample belongs to the window that its due time lies in; windows are
// half-open. Samples that are in flight are not counted: a window that is still
// open ends at the due time of the oldest of them, and one that has an end has
// no values, not even total, until everything that was due before it has ended.
//
//	total       samples due in the window that have ended
//	late        those that were answered (by any status) at or after the end of a
//	            fault's window; neither ok nor failed
//	ok          those that were answered as expected and are not late
//	failed      all others; unknown is the part of them that may have had an effect
//	error_rate  failed / (ok + failed); no value while both are 0
//	rate        total per second of the window; no value for a window without length
//	classes     failed ones by how they failed
//
// max_gap_seconds is the longest time without a success: the longest distance
// between neighbours among the window's end, the completions of ok samples
// within the window (whenever they were due), and the last such completion
// before it, or without one the window's start. In a window with samples but
// without ok ones it is the window's whole length.
//
// recovery_seconds is the time from the window's start to the completion of the
// first ok sample after the last failed one, once at least 10 samples, due over
// at least 2 s, have been ok since; late ones are passed over. Until then it has
// no value.
//
// Percentiles are latencies, from due to completion, of the samples that were
// answered, by nearest rank: the smallest latency that at least p % of them do
// not exceed. They have no value for fewer than 20 answered samples,
// max_seconds for none.
//
// captured are the distinct strings that the answered samples captured,
// duplicates those of them that more than one did.
//
// In a window without samples, all but total has no value.
package workload
