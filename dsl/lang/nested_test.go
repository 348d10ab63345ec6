package lang_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/scenario-run/scenario/dsl/diag"
)

// TestRepeatsInEachOtherAreForeseenWhateverTheirStepsUse nests repeats of two rounds
// twenty deep around a step that uses the number of its round: that is a million
// steps, and doesn't hang on the number.
func TestRepeatsInEachOtherAreForeseenWhateverTheirStepsUse(t *testing.T) {
	nested := func(times string) string {
		text := "action \"note\" \"a\" {\n  values = repeat.index\n}\n"
		for i := range 20 {
			text = fmt.Sprintf("repeat \"r%d\" {\n  times = %s\n%s}\n", i, times, text)
			if i == 18 {
				times = "2" // the outermost has no round around it
			}
		}
		return "scenario \"s\" {}\n" + text
	}
	start := time.Now()
	_, diags := loadSource([]byte(nested("2")))
	if len(diags) != 1 || diag.CodeOf(diags[0]) != diag.TooMany || !strings.Contains(diags[0].Summary, "instances in all") {
		t.Error(diags)
	}
	if took := time.Since(start); took > 4*time.Second {
		t.Errorf("it took %s to see that", took)
	}
	// Where it does hang on the number, most of them have one round.
	if _, diags := loadSource([]byte(nested("repeat.index + 1"))); len(diags) > 0 {
		t.Error(diags)
	}
}
