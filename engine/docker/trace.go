package docker

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/scenario-run/scenario/engine/runtime"
)

// trace turns BuildKit's progress into lines. What comes is its message
// StatusResponse (api/services/control/control.proto), of which the names,
// errors and output of the steps are read; the module that declares it would
// bring several hundred others.
type trace struct {
	named   map[string]bool   // steps that were announced, by digest
	partial map[string]string // unfinished lines, by digest
}

// Fields of StatusResponse, Vertex and VertexLog.
const (
	statusVertexes = 1
	statusLogs     = 3
	vertexDigest   = 1
	vertexName     = 3
	vertexCached   = 4
	vertexStarted  = 5
	vertexDone     = 6
	vertexError    = 7
	logVertex      = 1
	logMessage     = 4
)

// decode returns the lines of one message.
func (t *trace) decode(message []byte) ([]runtime.Progress, error) {
	if t.named == nil {
		t.named, t.partial = map[string]bool{}, map[string]string{}
	}
	var lines []runtime.Progress
	err := fields(message, func(number protowire.Number, value []byte, _ uint64) error {
		var more []runtime.Progress
		var err error
		switch number {
		case statusVertexes:
			more, err = t.vertex(value)
		case statusLogs:
			more, err = t.log(value)
		}
		lines = append(lines, more...)
		return err
	})
	return lines, err
}

// vertex announces a step when it starts, and says why it failed.
func (t *trace) vertex(message []byte) ([]runtime.Progress, error) {
	var digest, name, failure string
	var started, cached, done bool
	err := fields(message, func(number protowire.Number, value []byte, n uint64) error {
		switch number {
		case vertexDigest:
			digest = string(value)
		case vertexName:
			name = string(value)
		case vertexCached:
			cached = n != 0
		case vertexStarted:
			started = true
		case vertexDone:
			done = true
		case vertexError:
			failure = string(value)
		}
		return nil
	})
	var lines []runtime.Progress
	if (started || cached) && !t.named[digest] && !internal(name) {
		t.named[digest] = true
		lines = append(lines, runtime.Progress{Text: name, Stage: true})
	}
	if done || failure != "" {
		lines = append(lines, printed(t.partial[digest]+"\n"+failure)...)
		delete(t.partial, digest)
	}
	return lines, err
}

// internal says that a step is not one of the Dockerfile.
func internal(name string) bool {
	return strings.HasPrefix(name, "[internal]") || strings.HasPrefix(name, "copy /context")
}

// log returns the lines that a step's output completes.
func (t *trace) log(message []byte) ([]runtime.Progress, error) {
	var digest, text string
	err := fields(message, func(number protowire.Number, value []byte, _ uint64) error {
		switch number {
		case logVertex:
			digest = string(value)
		case logMessage:
			text = string(value)
		}
		return nil
	})
	text = t.partial[digest] + text
	end := strings.LastIndexByte(text, '\n') + 1
	t.partial[digest] = text[end:]
	return printed(text[:end]), err
}

// printed are the lines of a step's output.
func printed(text string) []runtime.Progress {
	var lines []runtime.Progress
	for _, l := range splitLines(text) {
		lines = append(lines, runtime.Progress{Text: l})
	}
	return lines
}

// fields calls f with each field of a message: its bytes, or its number.
func fields(message []byte, f func(number protowire.Number, value []byte, n uint64) error) error {
	for len(message) > 0 {
		number, kind, size := protowire.ConsumeTag(message)
		if size < 0 {
			return fmt.Errorf("not a message: %w", protowire.ParseError(size))
		}
		message = message[size:]
		var value []byte
		var n uint64
		switch kind {
		case protowire.BytesType:
			value, size = protowire.ConsumeBytes(message)
		case protowire.VarintType:
			n, size = protowire.ConsumeVarint(message)
		default:
			size = protowire.ConsumeFieldValue(number, kind, message)
		}
		if size < 0 {
			return fmt.Errorf("not a message: %w", protowire.ParseError(size))
		}
		message = message[size:]
		if err := f(number, value, n); err != nil {
			return err
		}
	}
	return nil
}
