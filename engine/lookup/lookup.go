// Package lookup is what faults do to the look-up of names, as data: it is said
// in a node's own terms, and knows neither who answers there nor how that is
// brought about.
package lookup

import (
	"net"
	"slices"
	"strings"
)

// Answer is what becomes of a question for a name.
type Answer string

// The answers. Resolved is that of a resolver that does its work, and Refused
// any other than these.
const (
	NXDomain Answer = "nxdomain" // there is no such name
	ServFail Answer = "servfail" // the server could not find out
	Drop     Answer = "drop"     // none at all
	Resolved Answer = "resolved"
	Refused  Answer = "refused"
)

// Failure is an answer in place of the right one.
type Failure struct {
	Names  []string `json:"names,omitempty"` // and all below them; none: every name
	Answer Answer   `json:"answer"`
}

// Covers says that the failure is about a name. Case and a dot at the end don't
// matter (RFC 4343, RFC 1034 3.1).
func (f Failure) Covers(name string) bool {
	name = plain(name)
	return len(f.Names) == 0 || slices.ContainsFunc(f.Names, func(n string) bool {
		n = plain(n)
		return name == n || strings.HasSuffix(name, "."+n)
	})
}

func plain(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }

// AnswerOf is what becomes of a question while failures are in force: of
// several that cover a name, the first counts.
func AnswerOf(name string, in []Failure) Answer {
	for _, f := range in {
		if f.Covers(name) {
			return f.Answer
		}
	}
	return Resolved
}

// The jobs of an agent that act on look-ups in its network namespace.
const (
	FailJob = "fail_lookups" // its spec: all Failures that are to be in force
	LookJob = "look_up"      // its spec: Questions; it writes what it has Seen
)

// Questions are names to ask for as programs in a node do.
type Questions struct {
	Names []string `json:"names"`
	// Resolvers are those of the node, host:port; none: that of the agent's own
	// resolv.conf, which is the node's unless something else lies over that.
	Resolvers []string `json:"resolvers,omitempty"`
	// Truly asks past all Failures, for what a name comes to without any, and
	// waits for a resolver that has to ask others.
	Truly bool `json:"truly,omitempty"`
}

// Seen is what look-ups came to.
type Seen struct {
	Led     bool `json:"led"`      // questions are led away from where they would go
	InForce bool `json:"in_force"` // and answered there
	// Answers has one for each name: where resolvers differ, one that resolved it,
	// since a program may ask any of them.
	Answers []Answer `json:"answers"`
}

// port is that of name servers; a resolv.conf can say no other.
const port = "53"

// Resolvers are the name servers of a resolv.conf, host:port (resolv.conf(5)).
func Resolvers(conf string) []string {
	var all []string
	for line := range strings.Lines(conf) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "nameserver" {
			all = append(all, net.JoinHostPort(f[1], port))
		}
	}
	return all
}

// InHosts says that a hosts file has a name, so that programs find it without
// asking any server (hosts(5)).
func InHosts(hosts, name string) bool {
	for line := range strings.Lines(hosts) {
		line, _, _ = strings.Cut(line, "#")
		if f := strings.Fields(line); len(f) > 1 && slices.ContainsFunc(f[1:], func(n string) bool { return plain(n) == plain(name) }) {
			return true
		}
	}
	return false
}
