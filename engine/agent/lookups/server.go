//go:build linux

package lookups

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/sys/unix"

	"github.com/scenario-run/scenario/engine/lookup"
)

const (
	// largest is the most that a DNS message can have (RFC 1035, 4.2.2).
	largest = 1<<16 - 1
	// passOnTime is how long the real resolver may take: longer than those who
	// ask it wait.
	passOnTime = 15 * time.Second
)

// server answers questions, over UDP and TCP on one port.
type server struct {
	resolver string // the real one, host:port
	failures atomic.Pointer[[]lookup.Failure]
	udp      *net.UDPConn
	tcp      *net.TCPListener
	ctx      context.Context
	cancel   context.CancelFunc
	all      sync.WaitGroup
}

func serve(resolver string) (*server, error) {
	tcp, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, fmt.Errorf("listen for questions: %w", err)
	}
	udp, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: tcp.Addr().(*net.TCPAddr).Port})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listen for questions: %w", err), tcp.Close())
	}
	s := &server{resolver: resolver, udp: udp, tcp: tcp}
	s.failures.Store(&[]lookup.Failure{})
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.all.Go(s.overUDP)
	s.all.Go(s.overTCP)
	return s, nil
}

func (s *server) port() int { return s.tcp.Addr().(*net.TCPAddr).Port }

// Close ends it, and what it was asked.
func (s *server) Close() error {
	s.cancel()
	err := errors.Join(s.udp.Close(), s.tcp.Close())
	s.all.Wait()
	return err
}

func (s *server) overUDP() {
	buf := make([]byte, largest)
	for {
		n, from, err := s.udp.ReadFromUDPAddrPort(buf)
		if err != nil {
			if s.ctx.Err() != nil {
				return
			}
			continue // of an earlier answer that nobody took
		}
		question := append([]byte(nil), buf[:n]...)
		s.all.Go(func() {
			if answer := s.answer("udp", question); answer != nil {
				_, _ = s.udp.WriteToUDPAddrPort(answer, from) // who asked may be gone
			}
		})
	}
}

func (s *server) overTCP() {
	for {
		conn, err := s.tcp.AcceptTCP()
		if err != nil {
			return
		}
		s.all.Go(func() {
			stop := context.AfterFunc(s.ctx, func() { _ = conn.Close() })
			defer stop()
			defer conn.Close()
			for {
				question, err := readMessage(conn)
				if err != nil {
					return
				}
				if answer := s.answer("tcp", question); answer != nil && writeMessage(conn, answer) != nil {
					return
				}
			}
		})
	}
}

// answer is the answer to a question; nil for none.
func (s *server) answer(network string, question []byte) []byte {
	var p dnsmessage.Parser
	header, err := p.Start(question)
	if err != nil {
		return s.passOn(network, question)
	}
	q, err := p.Question()
	if err != nil {
		return s.passOn(network, question)
	}
	code := dnsmessage.RCodeNameError
	switch lookup.AnswerOf(q.Name.String(), *s.failures.Load()) {
	case lookup.Resolved:
		return s.passOn(network, question)
	case lookup.Drop:
		return nil
	case lookup.ServFail:
		code = dnsmessage.RCodeServerFailure
	}
	m := dnsmessage.Message{
		Header: dnsmessage.Header{
			ID: header.ID, Response: true, OpCode: header.OpCode, RecursionDesired: header.RecursionDesired, RecursionAvailable: true, RCode: code,
		},
		Questions: []dnsmessage.Question{q},
	}
	text, err := m.Pack()
	if err != nil {
		return nil // the question was parsed, so it can be written
	}
	return text
}

// passOn asks the real resolver. That it doesn't answer is for who asked to
// see.
func (s *server) passOn(network string, question []byte) []byte {
	ctx, cancel := context.WithTimeout(s.ctx, passOnTime)
	defer cancel()
	answer, err := ask(ctx, network, s.resolver, question, marked)
	if err != nil {
		return nil
	}
	return answer
}

// ask sends a question and returns the answer.
func ask(ctx context.Context, network, resolver string, question []byte, control func(string, string, syscall.RawConn) error) ([]byte, error) {
	conn, err := (&net.Dialer{Control: control}).DialContext(ctx, network, resolver)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if network == "tcp" {
		if err := writeMessage(conn, question); err != nil {
			return nil, err
		}
		return readMessage(conn)
	}
	if _, err := conn.Write(question); err != nil {
		return nil, err
	}
	buf := make([]byte, largest)
	n, err := conn.Read(buf)
	return buf[:n], err
}

// marked lets what a socket sends pass our own rules.
func marked(_, _ string, c syscall.RawConn) error {
	var failed error
	err := c.Control(func(fd uintptr) { failed = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_MARK, ownMark) })
	return errors.Join(err, failed)
}

// Over TCP each message has its length before it (RFC 1035, 4.2.2).

func readMessage(r io.Reader) ([]byte, error) {
	var size [2]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return nil, err
	}
	text := make([]byte, binary.BigEndian.Uint16(size[:]))
	_, err := io.ReadFull(r, text)
	return text, err
}

func writeMessage(w io.Writer, text []byte) error {
	_, err := w.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(text))), text...))
	return err
}
