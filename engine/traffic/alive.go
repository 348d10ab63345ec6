package traffic

import (
	"net"
	"syscall"
)

// alive says that a connection on which nothing is expected has not been
// closed from the other side, nor got anything. It asks the kernel, and doesn't
// wait.
func alive(c net.Conn) bool {
	s, ok := c.(syscall.Conn)
	if !ok {
		return true // using it will tell
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return false
	}
	quiet := false
	err = raw.Read(func(fd uintptr) bool {
		_, err := peek(fd)
		quiet = err == syscall.EAGAIN || err == syscall.EWOULDBLOCK
		return true
	})
	return err == nil && quiet
}

func peek(fd uintptr) (int, error) {
	var b [1]byte
	n, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	return n, err
}

// leave prepares the close of a connection that the other side has closed, after
// an answer that has been read: with a reset, which spares the kernel of either
// side what is left of the farewell, and that of the server a minute in which it
// remembers the connection. Who serves has closed its end, and sees nothing of it.
// A connection that the other side has not closed is closed as ever.
func leave(c net.Conn) {
	s, ok := c.(syscall.Conn)
	if !ok {
		return
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return // it is closed as ever
	}
	_ = raw.Control(func(fd uintptr) {
		if n, err := peek(fd); n == 0 && err == nil {
			_ = syscall.SetsockoptLinger(int(fd), syscall.SOL_SOCKET, syscall.SO_LINGER, &syscall.Linger{Onoff: 1})
		}
	})
}
