package traffic

import (
	"testing"
	"time"
)

// Who judges a failure must see that the one who waited was held up.
func TestATimeLimitThatIsNoticedLateIsSaidToBe(t *testing.T) {
	for took, want := range map[time.Duration]string{
		500 * time.Millisecond: "no answer within 500ms",
		600 * time.Millisecond: "no answer within 500ms",
		730 * time.Millisecond: "no answer within 500ms, which was noticed 230ms later: the machine that asks is too busy",
	} {
		if got := noAnswer(500*time.Millisecond, took); got != want {
			t.Errorf("%s: %s", took, got)
		}
	}
}
