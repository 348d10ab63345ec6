package docker

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"strings"
	"time"

	"github.com/moby/moby/client"

	"github.com/scenario-run/scenario/engine/runtime"
)

// The labels of all that is made here.
const (
	labelRun     = "scenario.run"
	labelVariant = "scenario.variant"
	labelOwner   = "scenario.owner"
	labelExpires = "scenario.expires"
	labelRole    = "scenario.role" // of containers: node or agent
	labelAddress = "scenario.node" // of nodes: the address in the file
	labelName    = "scenario.name" // of networks and volumes
)

const (
	roleNode  = "node"
	roleAgent = "agent"
)

// keptSuffix ends the name of a container that was kept on purpose: labels
// can't be changed, and a name is seen by every process, on every host.
const keptSuffix = "-kept"

func labels(scope runtime.Scope, more map[string]string) map[string]string {
	all := map[string]string{
		labelRun:     scope.Run,
		labelVariant: scope.Variant,
		labelOwner:   scope.Owner,
		labelExpires: scope.Expires.UTC().Format(time.RFC3339),
	}
	maps.Copy(all, more)
	return all
}

func scopeOf(labels map[string]string) runtime.Scope {
	// An unreadable time is the zero time: expired.
	expires, _ := time.Parse(time.RFC3339, labels[labelExpires])
	return runtime.Scope{
		Run: labels[labelRun], Variant: labels[labelVariant], Owner: labels[labelOwner], Expires: expires,
	}
}

// of selects what belongs to a scope; all variants, if it names none.
func of(scope runtime.Scope) client.Filters {
	f := make(client.Filters).Add("label", labelRun+"="+scope.Run)
	if scope.Variant != "" {
		f.Add("label", labelVariant+"="+scope.Variant)
	}
	return f
}

// nameOf is the name of something: unique on the daemon, and short enough for a
// host name. Variants of one run differ by a hash.
func nameOf(scope runtime.Scope, name string) string {
	parts := []string{"scenario", scope.Run}
	if scope.Variant != "" {
		hash := sha256.Sum256([]byte(scope.Variant))
		parts = append(parts, hex.EncodeToString(hash[:3]))
	}
	return strings.Join(append(parts, clean(name)), "-")
}

// clean replaces what a name may not have.
func clean(name string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_', c == '.':
			return c
		}
		return '-'
	}, name)
}
