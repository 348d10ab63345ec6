package agent

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"
)

// A session has one stream for each dial, and one for each job that goes on at
// the same time: a stream whose job has ended serves for the next, since to open
// and to close one takes six messages more. Both ways a stream is a sequence of
// frames: one byte of type, four of length, then the payload. The first frame
// from the client is a request, the first from a dialling agent is an answer; an
// end or an error is the last of a job; closing a stream means that nobody
// listens any more.
type frameType byte

const (
	requestFrame frameType = iota + 1
	dialledFrame           // the dial succeeded
	dataFrame              // bytes of a connection, or a line of a job
	endFrame               // no more data this way; to a job: finish
	errorFrame             // the dial, connection or job failed; payload: wireError
)

const (
	headerSize = 5
	// chunk is how much of a connection one frame carries at most.
	chunk = 32 << 10
	// maxFrame bounds what is read into memory at once: a job's spec or line.
	maxFrame = 64 << 20
)

// request opens a stream.
type request struct {
	// Dial: connect to Address on Network within Timeout nanoseconds.
	Network string `json:"network,omitempty"`
	Address string `json:"address,omitempty"`
	Timeout int64  `json:"timeout,omitempty"`
	// Job: run it with Spec.
	Job  string `json:"job,omitempty"`
	Spec []byte `json:"spec,omitempty"`
}

// frameWriter writes whole frames, from any goroutine.
type frameWriter struct {
	mu      sync.Mutex
	w       io.Writer
	buf     []byte // frames that are not written yet
	gathers bool
	failed  error // of the first write that did
}

// write writes a frame, at once or, while it gathers, soon.
func (f *frameWriter) write(t frameType, payload []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.gathers && len(f.buf) == 0 {
		f.flushSoon()
	}
	f.buf = append(f.buf, byte(t))
	f.buf = binary.BigEndian.AppendUint32(f.buf, uint32(len(payload)))
	f.buf = append(f.buf, payload...)
	if !f.gathers || len(f.buf) >= chunk {
		f.flush()
	}
	return f.failed
}

func (f *frameWriter) writeJSON(t frameType, value any) error {
	payload, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return f.write(t, payload)
}

// gatherFor is how long lines of a job wait for more, so that thousands a second
// don't take a write each: little beside what whoever looks at them looks for.
const gatherFor = 2 * time.Millisecond

// gather makes writes wait for more for gatherFor, or until the last one.
func (f *frameWriter) gather() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gathers = true
}

// last writes what is gathered with one more frame, at once, and gathers no more.
func (f *frameWriter) last(t frameType, payload []byte) error {
	f.mu.Lock()
	f.gathers = false
	f.mu.Unlock()
	return f.write(t, payload)
}

// flush writes what is in buf. Under the lock.
func (f *frameWriter) flush() {
	if len(f.buf) > 0 && f.failed == nil {
		_, f.failed = f.w.Write(f.buf)
	}
	f.buf = f.buf[:0]
}

// flushSoon flushes once gatherFor is over. Under the lock.
func (f *frameWriter) flushSoon() {
	time.AfterFunc(gatherFor, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.flush()
	})
}

// frameReader reads frames. A read that fails by a deadline may be repeated.
type frameReader struct {
	r      io.Reader
	header [headerSize]byte
	have   int // bytes of the header
	left   int // bytes of the payload that are still to come
}

// next reads up to the payload of the next frame, skipping what is left of the
// one before.
func (f *frameReader) next() (frameType, int, error) {
	if err := f.skip(); err != nil {
		return 0, 0, err
	}
	for f.have < headerSize {
		n, err := f.r.Read(f.header[f.have:])
		f.have += n
		if err != nil && f.have < headerSize {
			return 0, 0, err
		}
	}
	f.have = 0
	size := binary.BigEndian.Uint32(f.header[1:])
	if size > maxFrame {
		return 0, 0, fmt.Errorf("frame of %d bytes", size)
	}
	f.left = int(size)
	return frameType(f.header[0]), f.left, nil
}

func (f *frameReader) skip() error {
	var waste [512]byte
	for f.left > 0 {
		if _, err := f.payload(waste[:]); err != nil {
			return err
		}
	}
	return nil
}

// payload reads some of the frame's payload.
func (f *frameReader) payload(p []byte) (int, error) {
	n, err := f.r.Read(p[:min(len(p), f.left)])
	f.left -= n
	if n > 0 {
		return n, nil
	}
	return 0, err
}

// whole reads the next frame with all of its payload.
func (f *frameReader) whole() (frameType, []byte, error) {
	t, size, err := f.next()
	if err != nil {
		return 0, nil, err
	}
	payload := make([]byte, size)
	for n := 0; n < size; {
		m, err := f.payload(payload[n:])
		if err != nil {
			return 0, nil, err
		}
		n += m
	}
	return t, payload, nil
}

// frame is one frame as it was read, or why none was.
type frame struct {
	kind    frameType
	payload []byte
	err     error
}

// frame reads the next frame with all of its payload.
func (f *frameReader) frame() (read frame) {
	read.kind, read.payload, read.err = f.whole()
	return read
}
