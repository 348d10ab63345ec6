package process

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Main is the main process of a node, as it is known inside. When it ends the
// node exits. The kernel shields it from signals that come from inside.
const Main = 1

// ID is one process for good: a number is used again, but not with the same
// start.
type ID struct {
	PID     int    `json:"pid"`
	Started uint64 `json:"started"` // ticks after the host's boot
}

// Process is a process as the kernel shows it.
type Process struct {
	ID
	Parent  int           `json:"parent"`
	Name    string        `json:"name"`    // the kernel's name for it: at most 15 bytes
	Command []string      `json:"command"` // its arguments, or the title that it has given itself
	State   State         `json:"state"`
	Memory  int64         `json:"memory"` // bytes that it has in memory
	Age     time.Duration `json:"age"`
}

// State is the kernel's letter for what a process does.
type State string

// The states that matter here.
const (
	Stopped State = "T"
	Zombie  State = "Z" // it has ended, and its parent has not taken note yet
	Dead    State = "X"
)

// Ended says that nothing can be done to a process any more.
func (p Process) Ended() bool { return p.State == Zombie || p.State == Dead }

// Title is what the process shows as its command line.
func (p Process) Title() string {
	if len(p.Command) == 0 {
		return p.Name
	}
	return strings.TrimSpace(strings.Join(p.Command, " "))
}

// Match says which processes are meant.
type Match struct {
	// Name is the kernel's name, or the first word of the title: all of it, its
	// last part if it is a path, or what stands before one of its colons.
	Name string
	// Command is looked for in the whole command line; nil: Name counts.
	Command *regexp.Regexp
	// Except are names, as Name is, of those that are not meant after all.
	Except []string
}

// Matches says that a process is meant. One that has ended never is.
func (m Match) Matches(p Process) bool {
	switch {
	case p.Ended():
		return false
	case slices.ContainsFunc(m.Except, p.isNamed):
		return false
	case m.Command != nil:
		return m.Command.MatchString(p.Title())
	}
	return p.isNamed(m.Name)
}

func (p Process) isNamed(name string) bool {
	word, _, _ := strings.Cut(p.Title(), " ")
	if strings.HasPrefix(word, "/") {
		word = path.Base(word)
	}
	return p.Name == name || word == name || strings.HasPrefix(word, name+":")
}

// String says it as a person would.
func (m Match) String() string {
	if m.Command != nil {
		return "with a command line like " + m.Command.String()
	}
	return "named " + m.Name
}

// Find returns the processes that are meant, in the order in which they are.
func (m Match) Find(all []Process) []Process {
	var found []Process
	for _, p := range all {
		if m.Matches(p) {
			found = append(found, p)
		}
	}
	return found
}

// Spares says that no process ends by a signal, as "SIGSTOP", whatever it has
// said of it to the kernel: a fault that is to end one can't be made with it.
func Spares(signal string) bool {
	return slices.Contains([]string{"SIGSTOP", "SIGCONT", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGCHLD", "SIGURG", "SIGWINCH"}, signal)
}

// The jobs of an agent that lives among a node's processes.
const (
	// ListJob writes one line, all Processes but the agent itself.
	ListJob = "processes"
	// SignalJob's spec is a Signal; it writes one line, an Outcome for each
	// process. What it stops goes on when the agent's lease ends.
	SignalJob = "signal"
)

// Signal is a signal to send.
type Signal struct {
	Signal string `json:"signal"` // as "SIGKILL"
	To     []ID   `json:"to"`
}

// Outcome is what became of a signal to one process.
type Outcome string

// The outcomes.
const (
	Sent Outcome = "sent"
	Gone Outcome = "gone" // the process is not there any more
	// Shielded: it is the main process, which has to be signalled from outside.
	Shielded Outcome = "shielded"
)
