// Package round measures how long a packet takes from where it runs to others
// and back, so that a delay is seen to be one.
package round
