package conformance

import "github.com/scenario-run/scenario/engine/runtime"

// Program is what a node of these tests does.
type Program struct {
	Name    string
	Command []string
}

// The programs. An image for them has sh and python3. Shells forward no
// signals, so those that are to be signalled replace theirs.
var (
	// Sleep runs until it is killed, and ends at SIGTERM with 143.
	Sleep = shell("sleep", `trap 'exit 143' TERM; sleep 3600 & wait`)
	// Stubborn runs until it is killed, whatever it is asked.
	Stubborn = shell("stubborn", `trap '' TERM; while :; do sleep 3600; done`)
	// ExitThree exits at once with 3.
	ExitThree = shell("exit-three", `exit 3`)
	// Busy uses CPU until it is killed.
	Busy = shell("busy", `while :; do :; done`)
	// Greet prints one line to each output, says hello and sleeps.
	Greet = shell("greet", `echo out; echo err >&2; trap 'exit 143' TERM; sleep 3600 & wait`)
	// Serve accepts on port 8080, answers what it gets, and ends with the other side.
	Serve = Program{"serve", []string{"python3", "-uc", `
import socket, threading
l = socket.socket(); l.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
l.bind(("0.0.0.0", 8080)); l.listen(64); print("listening")
def echo(c):
    while True:
        b = c.recv(65536)
        if not b: break
        c.sendall(b)
    c.close()
while True:
    threading.Thread(target=echo, args=(l.accept()[0],), daemon=True).start()
`}}
	// Missing is a command that no image has.
	Missing = Program{"missing", []string{"/no/such/command"}}
)

// Commands for Exec, and what they do.
var (
	// EchoBoth prints "out" and "err" to the two outputs and exits with 5.
	EchoBoth = runtime.ExecSpec{Command: []string{"sh", "-c", "echo out; echo err >&2; exit 5"}}
	// Cat prints its input.
	Cat = runtime.ExecSpec{Command: []string{"cat"}, Stdin: []byte("input")}
	// PrintEnv prints the variable GREETING.
	PrintEnv = runtime.ExecSpec{Command: []string{"sh", "-c", `printf %s "$GREETING"`}, Env: map[string]string{"GREETING": "hello"}}
	// Flood prints 10,000 times x, and 100 bytes are kept.
	Flood = runtime.ExecSpec{Command: []string{"sh", "-c", "head -c 10000 /dev/zero | tr '\\0' x"}, Limit: 100}
	// ReadFile prints the file that CreateNode put there.
	ReadFile = runtime.ExecSpec{Command: []string{"cat", "/etc/conformance/deep/file"}}
	// Keep writes a file to the volume at /data; Kept prints it.
	Keep = runtime.ExecSpec{Command: []string{"sh", "-c", "printf kept >/data/kept"}}
	Kept = runtime.ExecSpec{Command: []string{"cat", "/data/kept"}}
	// Unending does not end.
	Unending = runtime.ExecSpec{Command: []string{"sleep", "3600"}}
	// Talker prints "out", and does not end.
	Talker = runtime.ExecSpec{Command: []string{"sh", "-c", "echo out; exec sleep 3600"}}
	// NoCommand can't be executed.
	NoCommand = runtime.ExecSpec{Command: []string{"no-such-command"}}
)

// Greeting is what the file that ReadFile reads contains.
const Greeting = "a file\n"

func shell(name, script string) Program { return Program{name, []string{"sh", "-c", script}} }
