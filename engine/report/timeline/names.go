package timeline

import (
	"strings"

	"github.com/scenario-run/scenario/engine/event"
)

// inCleanup is the first part of the addresses of cleanup steps.
const inCleanup = "cleanup"

// stepName is what a step is called in the timeline: its address without what
// the kind beside it and the place below "cleanup" say already. The key of its
// instance and the round or use that it is in stay, for those are what tells it
// from its like: round[1]/shot, one["b"].
func stepName(s event.Step) string {
	parts := addressParts(s.Address)
	if len(parts) > 1 && parts[0] == inCleanup {
		parts = parts[1:]
	}
	for i, p := range parts {
		if _, name, ok := strings.Cut(p, "."); ok && name != "" {
			parts[i] = name
		}
	}
	return clean(strings.Join(parts, "/"))
}

// depth is in how many groups a step is.
func depth(s event.Step) int { return len(addressParts(s.Address)) - 1 }

// addressParts splits an address at its slashes. Those in a key belong to it.
func addressParts(address string) []string {
	var parts []string
	start, quoted := 0, false
	for i := 0; i < len(address); i++ {
		switch c := address[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case c == '/' && !quoted:
			parts = append(parts, address[start:i])
			start = i + 1
		}
	}
	return append(parts, address[start:])
}

// step returns what is known of a step. One that the plan does not list, a
// round that was added while the run went on, is like the one that it lists of
// another round; else its address has to do.
func (v *variant) step(address string) event.Step {
	if s, ok := v.steps[address]; ok {
		return s
	}
	if s, ok := v.likes[anyRound(address)]; ok {
		s.Address = address
		return s
	}
	parts := addressParts(address)
	last := parts[len(parts)-1]
	kind, name, ok := strings.Cut(last, ".")
	if !ok {
		return event.Step{Address: address, Name: address}
	}
	return event.Step{Address: address, Kind: kind, Name: name}
}

// anyRound is an address without the numbers of the rounds that it is in.
func anyRound(address string) string {
	parts := addressParts(address)
	for i, p := range parts[:len(parts)-1] {
		if end := strings.LastIndexByte(p, '['); end > 0 && strings.HasPrefix(p, "repeat.") {
			parts[i] = p[:end]
		}
	}
	return strings.Join(parts, "/")
}
