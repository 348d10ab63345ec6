package docker

import (
	"slices"
	"testing"
	"time"

	"github.com/moby/moby/api/types/image"
)

func TestTheNewestImageOfEachNameStays(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	made := func(age time.Duration, tags ...string) image.Summary {
		return image.Summary{ID: "sha256:" + age.String(), Created: now.Add(-age).Unix(), RepoTags: tags}
	}
	got := dispensable([]image.Summary{
		made(3*time.Hour, "scenario/ray:a"),
		made(2*time.Hour, "scenario/ray:b", "mine:latest"),
		made(5*time.Hour, "scenario/ray:c", "scenario/redis:a"),
		made(30*time.Minute, agentRepository+":a"),
		made(40*time.Minute, agentRepository+":b"),
		made(9*time.Hour, agentRepository+":c"),
		made(8 * time.Hour),
		made(10 * time.Minute),
	}, now.Add(-time.Hour))
	want := []string{"scenario/ray:a", "scenario/ray:c", "sha256:8h0m0s", agentRepository + ":c"}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%q go, want %q", got, want)
	}
}
