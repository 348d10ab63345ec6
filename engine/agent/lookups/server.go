//go:build linux

package lookups

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
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

// server answers questions, over UDP and TCP on one port of either loopback
// address.
type server struct {
	// resolver is the real one, host:port, for a question of which the kernel
	// doesn't say where it was sent.
	resolver string
	failures atomic.Pointer[[]lookup.Failure]
	udp      []*net.UDPConn
	tcp      []*net.TCPListener
	ctx      context.Context
	cancel   context.CancelFunc
	all      sync.WaitGroup
}

func serve(resolver string) (*server, error) {
	s := &server{resolver: resolver}
	s.failures.Store(&[]lookup.Failure{})
	s.ctx, s.cancel = context.WithCancel(context.Background())
	err := s.listen(net.IPv4(127, 0, 0, 1), 0)
	if err == nil {
		err = s.listen(net.IPv6loopback, s.port())
		if errors.Is(err, unix.EADDRNOTAVAIL) || errors.Is(err, unix.EAFNOSUPPORT) {
			err = nil // no IPv6 here, so that nobody asks over it
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listen for questions: %w", err), s.Close())
	}
	for _, l := range s.udp {
		s.all.Go(func() { s.overUDP(l) })
	}
	for _, l := range s.tcp {
		s.all.Go(func() { s.overTCP(l) })
	}
	return s, nil
}

// listen listens at an address, over both on the same port; 0: one that is free.
func (s *server) listen(ip net.IP, port int) error {
	tcp, err := net.ListenTCP("tcp", &net.TCPAddr{IP: ip, Port: port})
	if err != nil {
		return err
	}
	s.tcp = append(s.tcp, tcp)
	udp, err := net.ListenUDP("udp", &net.UDPAddr{IP: ip, Port: tcp.Addr().(*net.TCPAddr).Port})
	if err != nil {
		return err
	}
	s.udp = append(s.udp, udp)
	return nil
}

func (s *server) port() int { return s.tcp[0].Addr().(*net.TCPAddr).Port }

// Close ends it, and what it was asked.
func (s *server) Close() error {
	s.cancel()
	var errs []error
	for _, l := range s.udp {
		errs = append(errs, l.Close())
	}
	for _, l := range s.tcp {
		errs = append(errs, l.Close())
	}
	s.all.Wait()
	return errors.Join(errs...)
}

func (s *server) overUDP(l *net.UDPConn) {
	at := l.LocalAddr().(*net.UDPAddr).AddrPort()
	buf := make([]byte, largest)
	for {
		n, from, err := l.ReadFromUDPAddrPort(buf)
		if err != nil {
			if s.ctx.Err() != nil {
				return
			}
			continue // of an earlier answer that nobody took
		}
		asked := question{"udp", unix.IPPROTO_UDP, from, at, append([]byte(nil), buf[:n]...)}
		s.all.Go(func() {
			if answer := s.answer(asked); answer != nil {
				_, _ = l.WriteToUDPAddrPort(answer, from) // who asked may be gone
			}
		})
	}
}

func (s *server) overTCP(l *net.TCPListener) {
	for {
		conn, err := l.AcceptTCP()
		if err != nil {
			return
		}
		s.all.Go(func() {
			stop := context.AfterFunc(s.ctx, func() { _ = conn.Close() })
			defer stop()
			defer conn.Close()
			from, at := conn.RemoteAddr().(*net.TCPAddr).AddrPort(), conn.LocalAddr().(*net.TCPAddr).AddrPort()
			for {
				text, err := readMessage(conn)
				if err != nil {
					return
				}
				answer := s.answer(question{"tcp", unix.IPPROTO_TCP, from, at, text})
				if answer != nil && writeMessage(conn, answer) != nil {
					return
				}
			}
		})
	}
}

// question is one as it came.
type question struct {
	network  string
	protocol byte
	from, at netip.AddrPort // at is ours
	text     []byte
}

// answer is the answer to a question; nil for none.
func (s *server) answer(asked question) []byte {
	var p dnsmessage.Parser
	header, err := p.Start(asked.text)
	if err != nil {
		return s.passOn(asked)
	}
	q, err := p.Question()
	if err != nil {
		return s.passOn(asked)
	}
	code := dnsmessage.RCodeNameError
	switch lookup.AnswerOf(q.Name.String(), *s.failures.Load()) {
	case lookup.Resolved:
		return s.passOn(asked)
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

// passOn sends a question on to where it was sent. That no answer comes is for
// who asked to see.
func (s *server) passOn(asked question) []byte {
	to := s.resolver
	if origin, err := originOf(asked.protocol, asked.from, asked.at); err == nil && origin != plain(asked.at) {
		to = origin.String()
	}
	ctx, cancel := context.WithTimeout(s.ctx, passOnTime)
	defer cancel()
	answer, err := ask(ctx, asked.network, to, asked.text, marked)
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
