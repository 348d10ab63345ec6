package link

import (
	"strings"
	"testing"
)

func TestWhatMendsAKernelHangsOnWhyItCanNot(t *testing.T) {
	k := Kernel{NFTables: Forbidden, Netem: "this kernel does not have it"}
	for ability, want := range map[Ability]string{NFTables: "let containers use it", Netem: "modprobe sch_netem"} {
		if got := k.Mend(ability); !strings.Contains(got, want) {
			t.Errorf("%s: %q does not say %q", ability, got, want)
		}
	}
	for _, a := range Abilities() {
		if (Kernel{}).Mend(a) == "" {
			t.Errorf("nothing is said of %s", a)
		}
	}
}
