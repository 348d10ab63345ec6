package agent

import (
	"encoding/binary"
	"io"
)

// joining writes a header of the session together with the data that follows it.
// The session writes each on its own, and on the way to an agent every write is
// read and written again by the daemon and by what runs the container: half of
// them is half of the time.
type joining struct {
	io.ReadWriteCloser
	header []byte // one whose data is still to come
}

// Of a header of yamux (its spec.md, "Framing"): where its type and the length
// of its data stand, and the type that has data.
const (
	muxHeader = 12
	muxType   = 1
	muxLength = 8
	muxData   = 0
)

// Write is called by one goroutine of the session, with whole headers.
func (j *joining) Write(p []byte) (int, error) {
	switch {
	case len(j.header) > 0:
		whole := append(j.header, p...)
		n, err := j.ReadWriteCloser.Write(whole)
		sent := max(n-len(j.header), 0)
		j.header = whole[:0]
		return sent, err
	case len(p) == muxHeader && p[muxType] == muxData && binary.BigEndian.Uint32(p[muxLength:]) > 0:
		j.header = append(j.header, p...)
		return len(p), nil
	}
	return j.ReadWriteCloser.Write(p)
}
