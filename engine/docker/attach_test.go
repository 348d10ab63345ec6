package docker

import (
	"slices"
	"testing"
)

// A name of one letter begins one in sixteen ids.
func TestOnlyTheShortIDIsNoAliasOfANode(t *testing.T) {
	got := withoutShortID([]string{"a", "a1b2c3d4e5f6", "web"}, "a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90")
	if want := []string{"a", "web"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
