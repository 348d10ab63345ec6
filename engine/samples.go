package engine

import (
	"bufio"
	"errors"
	"fmt"
	"os"
)

// sampleFile takes samples to disk. A disk that takes no more is reported
// once, and keeps nobody waiting.
type sampleFile struct {
	x     *executor
	name  string
	file  *os.File
	buf   *bufio.Writer
	lines chan []byte
	over  chan struct{}
}

func newSampleFile(x *executor, name string) (*sampleFile, error) {
	f, err := x.dir.create(name)
	if err != nil {
		return nil, err
	}
	s := &sampleFile{x: x, name: name, file: f, buf: bufio.NewWriter(f), lines: make(chan []byte, 4096), over: make(chan struct{})}
	go s.run()
	return s, nil
}

// write queues a line. When the disk is so slow that the queue is full, the
// job that sends the samples waits, not the executor.
func (s *sampleFile) write(line []byte) {
	s.lines <- append([]byte(s.x.redact.text(string(line))), '\n')
}

func (s *sampleFile) close() {
	close(s.lines)
	<-s.over
}

func (s *sampleFile) run() {
	defer close(s.over)
	var failed error
	for line := range s.lines {
		if failed != nil {
			continue
		}
		_, failed = s.buf.Write(line)
		if len(s.lines) == 0 && failed == nil {
			failed = s.buf.Flush()
		}
	}
	if failed == nil {
		failed = s.buf.Flush()
	}
	if err := errors.Join(failed, s.file.Close()); err != nil {
		s.x.stream.failed(fmt.Errorf("write %s: %w", s.name, err))
	}
}
