//go:build linux

// Package netnstest gives tests of what agents do to packets two network
// namespaces with a link between them.
package netnstest

import (
	"net/netip"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// The addresses of the two ends, and the port that is open. Those of IPv6 are
// there after WithIPv6.
const (
	Ours    = "10.77.0.1"
	Theirs  = "10.77.0.2"
	Ours6   = "fd77::1"
	Theirs6 = "fd77::2"
	Open    = 80 // at both
)

// Far is the other namespace.
type Far struct{ do chan func() }

// Do runs a function there, and returns when it has.
func (f Far) Do(what func()) {
	done := make(chan struct{})
	f.do <- func() {
		defer close(done)
		what()
	}
	<-done
}

// Pair moves the test's goroutine into a namespace of its own, with the address
// Ours, and returns the other one, with the address Theirs. In both the port Open
// is open, and there is one device, called eth0. All of it ends with the test. A
// subtest runs in a goroutine of its own, and so would be somewhere else.
func Pair(t *testing.T) Far {
	t.Helper()
	if os.Geteuid() != 0 {
		if os.Getenv("CI") != "" {
			t.Fatal("needs root, to make network namespaces")
		}
		t.Skip("needs root, to make network namespaces")
	}
	far := Far{make(chan func())}
	go func() {
		runtime.LockOSThread() // never unlocked: the thread and its namespace end with the goroutine
		for what := range far.do {
			what()
		}
	}()
	t.Cleanup(func() { close(far.do) })
	var fd int
	far.Do(func() {
		Must(t, unix.Unshare(unix.CLONE_NEWNET))
		var err error
		fd, err = unix.Open("/proc/thread-self/ns/net", unix.O_RDONLY|unix.O_CLOEXEC, 0)
		Must(t, err)
	})
	defer unix.Close(fd)
	runtime.LockOSThread() // the test's goroutine ends with it
	Must(t, unix.Unshare(unix.CLONE_NEWNET))
	Must(t, netlink.LinkAdd(&netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: "eth0"}, PeerName: "eth0", PeerNamespace: netlink.NsFd(fd)}))
	up(t, Ours)
	listen(t, unix.AF_INET)
	far.Do(func() {
		up(t, Theirs)
		listen(t, unix.AF_INET)
	})
	await(t, Theirs)
	return far
}

// await waits for the way to an address: packets are lost until the kernel has
// noticed that the link is up.
func await(t *testing.T, address string) {
	t.Helper()
	var err error
	for range 50 {
		if err = Dial(address, Open); err == nil {
			return
		}
	}
	t.Fatal("the link does not come up: ", err)
}

// WithIPv6 gives both ends of a pair an address of IPv6 as well.
func WithIPv6(t *testing.T, far Far) {
	t.Helper()
	if _, err := os.Stat("/proc/sys/net/ipv6"); err != nil {
		t.Skip("this kernel has no IPv6")
	}
	add := func(address string) {
		l, err := netlink.LinkByName("eth0")
		Must(t, err)
		a, err := netlink.ParseAddr(address + "/64")
		Must(t, err)
		a.Flags = unix.IFA_F_NODAD // which takes a second
		Must(t, netlink.AddrAdd(l, a))
		listen(t, unix.AF_INET6)
	}
	add(Ours6)
	far.Do(func() { add(Theirs6) })
	await(t, Theirs6)
}

func up(t *testing.T, address string) {
	t.Helper()
	lo, err := netlink.LinkByName("lo")
	Must(t, err)
	Must(t, netlink.LinkSetUp(lo))
	l, err := netlink.LinkByName("eth0")
	Must(t, err)
	a, err := netlink.ParseAddr(address + "/24")
	Must(t, err)
	Must(t, netlink.AddrAdd(l, a))
	Must(t, netlink.LinkSetUp(l))
}

// listen opens the port of a family, for as long as the test runs.
func listen(t *testing.T, family int) {
	t.Helper()
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	Must(t, err)
	t.Cleanup(func() { unix.Close(fd) })
	var at unix.Sockaddr = &unix.SockaddrInet4{Port: Open}
	if family == unix.AF_INET6 {
		Must(t, unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_V6ONLY, 1))
		at = &unix.SockaddrInet6{Port: Open}
	}
	Must(t, unix.Bind(fd, at))
	Must(t, unix.Listen(fd, 64))
}

func socket(t *testing.T, kind int) int {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, kind|unix.SOCK_CLOEXEC, 0)
	Must(t, err)
	t.Cleanup(func() { unix.Close(fd) })
	return fd
}

// Address is an address and a port as a socket wants them, with their family.
func Address(address string, port int) (family int, at unix.Sockaddr) {
	a := netip.MustParseAddr(address)
	if a.Is4() {
		return unix.AF_INET, &unix.SockaddrInet4{Port: port, Addr: a.As4()}
	}
	return unix.AF_INET6, &unix.SockaddrInet6{Port: port, Addr: a.As16()}
}

// Must ends the test if there is an error.
func Must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Dial connects from the namespace of the calling goroutine, within 200 ms. A
// net.Dialer would make its socket on another thread, and so elsewhere.
func Dial(address string, port int) error { return DialWithin(200*time.Millisecond, address, port) }

// DialWithin is Dial with a time limit, at which the error is EINPROGRESS.
func DialWithin(limit time.Duration, address string, port int) error {
	return DialAs(0, limit, address, port)
}

// DialAs is DialWithin for packets that have a priority from the start (see
// socket(7), SO_PRIORITY).
func DialAs(priority uint32, limit time.Duration, address string, port int) error {
	family, to := Address(address, port)
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	tv := unix.NsecToTimeval(limit.Nanoseconds())
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &tv); err != nil {
		return err
	}
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_PRIORITY, int(priority)); err != nil {
		return err
	}
	for {
		err := unix.Connect(fd, to)
		switch err {
		case unix.EINTR: // a signal of Go's scheduler, which may come at any time
			continue
		case unix.EALREADY: // of the second call, in place of the same from the first
			return unix.EINPROGRESS
		}
		return err
	}
}

// Round is how long a connection takes from here to there: one way and back.
func Round(t *testing.T, address string) time.Duration {
	t.Helper()
	began := time.Now()
	Must(t, DialWithin(5*time.Second, address, Open))
	return time.Since(began)
}

// datagrams is a port for them.
const datagrams = 4000

// Send sends one datagram, of a priority, to those that Listen.
func Send(t *testing.T, priority uint32, address string) {
	t.Helper()
	fd := socket(t, unix.SOCK_DGRAM)
	Must(t, unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_PRIORITY, int(priority)))
	Must(t, unix.Sendto(fd, []byte("x"), 0, &unix.SockaddrInet4{Port: datagrams, Addr: netip.MustParseAddr(address).As4()}))
}

// Listen makes the namespace of the calling goroutine receive datagrams, and
// returns what waits for one, for five seconds.
func Listen(t *testing.T) (receive func() error) {
	t.Helper()
	fd := socket(t, unix.SOCK_DGRAM)
	Must(t, unix.Bind(fd, &unix.SockaddrInet4{Port: datagrams}))
	tv := unix.NsecToTimeval((5 * time.Second).Nanoseconds())
	Must(t, unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &tv))
	return func() error {
		for {
			_, _, err := unix.Recvfrom(fd, make([]byte, 1), 0)
			if err != unix.EINTR {
				return err
			}
		}
	}
}

// Transfer sends so many bytes over one connection from over there to here, and
// returns how long that took.
func Transfer(t *testing.T, from Far, size int) time.Duration {
	t.Helper()
	const port = 4001
	l := socket(t, unix.SOCK_STREAM)
	Must(t, unix.Bind(l, &unix.SockaddrInet4{Port: port}))
	Must(t, unix.Listen(l, 1))
	began := time.Now()
	sent := make(chan error, 1)
	go from.Do(func() { sent <- send(port, size) })
	conn, err := again(func() (int, error) { fd, _, err := unix.Accept(l); return fd, err })
	Must(t, err)
	defer unix.Close(conn)
	buf := make([]byte, 64<<10)
	for got := 0; got < size; {
		n, err := again(func() (int, error) { return unix.Read(conn, buf) })
		Must(t, err)
		if n == 0 {
			t.Fatalf("the connection ended after %d bytes", got)
		}
		got += n
	}
	Must(t, <-sent)
	return time.Since(began)
}

// send connects to this test's own end and sends so many bytes.
func send(port, size int) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	_, err = again(func() (int, error) {
		err := unix.Connect(fd, &unix.SockaddrInet4{Port: port, Addr: netip.MustParseAddr(Ours).As4()})
		if err == unix.EISCONN {
			err = nil
		}
		return 0, err
	})
	if err != nil {
		return err
	}
	buf := make([]byte, 64<<10)
	for size > 0 {
		n, err := again(func() (int, error) { return unix.Write(fd, buf[:min(size, len(buf))]) })
		if err != nil {
			return err
		}
		size -= n
	}
	return nil
}

// again makes a call anew that a signal of Go's scheduler has interrupted.
func again(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != unix.EINTR && err != unix.EALREADY {
			return n, err
		}
	}
}
