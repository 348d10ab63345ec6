package docker

import (
	"testing"
	"time"
)

// A time that was told while it was asked for says nothing about the clock.
func TestAClockIsAheadOnlyIfItIsOutsideOfTheCall(t *testing.T) {
	from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	to := from.Add(time.Second)
	for told, want := range map[string]time.Duration{
		"2026-01-01T00:00:00.5Z": 0, "2026-01-01T00:00:03Z": 2 * time.Second, "2025-12-31T23:59:58Z": -2 * time.Second, "": 0, "now": 0,
	} {
		if got := ahead(told, from, to); got != want {
			t.Errorf("%q: %s", told, got)
		}
	}
}
