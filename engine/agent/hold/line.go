//go:build linux

package hold

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/florianl/go-nfqueue/v2"
	"golang.org/x/sys/unix"
)

const (
	// room is how many packets a line holds: more than a second of a fast link.
	// What comes beyond passes at once.
	room = 1_000_000
	// buffer is for what the kernel tells of packets while this process is busy.
	buffer = 8 << 20
)

// pace is how long a line holds packets.
type pace struct {
	latency, jitter time.Duration
	correlation     float64 // per cent
}

// line is one queue of the kernel, whose packets all are held at one pace.
type line struct {
	number uint16
	pace   pace
	queue  *nfqueue.Nfqueue
	end    context.CancelFunc
	sender sync.WaitGroup
	ended  atomic.Bool

	mu     sync.Mutex
	held   packets
	newest uint32        // the number of the last packet that was told of
	last   float64       // the last draw of the jitter
	sooner chan struct{} // the next packet is due before the one that is waited for
	failed error         // why it holds nothing any more
}

// openLine binds a queue. The kernel sends packets there once a rule says so.
func openLine(number uint16, p pace) (*line, error) {
	q, err := nfqueue.Open(&nfqueue.Config{
		NfQueue: number, MaxQueueLen: room, Copymode: nfqueue.NfQnlCopyMeta, AfFamily: unix.AF_UNSPEC,
		// What many packets were joined into is held as one; and if there is no
		// room any more, packets pass.
		Flags: nfqueue.NfQaCfgFlagGSO | nfqueue.NfQaCfgFlagFailOpen,
	})
	if err != nil {
		return nil, fmt.Errorf("reach the kernel's queues: %w", err)
	}
	l := &line{number: number, pace: p, queue: q, sooner: make(chan struct{}, 1)}
	ctx, end := context.WithCancel(context.Background())
	l.end = end
	// What arrives while it is so small may be lost, so that an error counts.
	if err := errors.Join(q.Con.SetReadBuffer(buffer), q.RegisterWithErrorFunc(ctx, l.take, l.lost)); err != nil {
		end()
		return nil, errors.Join(fmt.Errorf("bind queue %d of the kernel: %w", number, err), q.Close())
	}
	l.sender.Go(func() { l.send(ctx) })
	return l, nil
}

// take takes a packet in. It returns 0, which is to go on.
func (l *line) take(a nfqueue.Attribute) int {
	if a.PacketID == nil {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.newest = *a.PacketID
	p := packet{l.newest, time.Now().Add(l.draw())}
	heap.Push(&l.held, p)
	if l.held[0] == p {
		select {
		case l.sooner <- struct{}{}:
		default:
		}
	}
	return 0
}

// draw is how long the next packet is held. Correlation is what netem makes of
// it: that share of the last draw is in the next.
func (l *line) draw() time.Duration {
	rho := l.pace.correlation / 100
	l.last = rho*l.last + (1-rho)*rand.Float64()
	return l.pace.latency + time.Duration((2*l.last-1)*float64(l.pace.jitter))
}

// lost takes in that the kernel's word could not be read. It is not the end that
// it had more to say than could be kept (ENOBUFS), which costs those packets; nor that a packet is gone (ENOENT): it drops all that are held when a
// hook of whomever is taken out of this namespace.
func (l *line) lost(err error) int {
	if l.ended.Load() {
		return 1 // close has interrupted the reading
	}
	if errors.Is(err, unix.ENOBUFS) || errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EINTR) {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failed = err
	return 1
}

// send lets packets go on when they are due, and all of them at the end.
func (l *line) send(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		due, next := l.due(time.Now())
		for _, p := range due {
			l.pass(p)
		}
		timer.Reset(next)
		select {
		case <-timer.C:
		case <-l.sooner:
		case <-ctx.Done():
			return
		}
	}
}

// due takes out the packets that are due, and says when to look again.
func (l *line) due(now time.Time) (due []packet, next time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.held) > 0 && !l.held[0].due.After(now) {
		due = append(due, heap.Pop(&l.held).(packet))
	}
	if len(l.held) == 0 {
		return due, time.Hour
	}
	return due, l.held[0].due.Sub(now)
}

func (l *line) pass(p packet) {
	if err := l.queue.SetVerdict(p.id, nfqueue.NfAccept); err != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.failed = err
	}
}

// works is why the line holds nothing any more, or nil.
func (l *line) works() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed
}

// close lets all packets go on that are still held. No rule may send any here
// by then: what the queue has when it ends, the kernel drops.
func (l *line) close() error {
	l.mu.Lock()
	newest := l.newest
	l.mu.Unlock()
	// Those included that the kernel has not told of yet: numbers are compared
	// by their difference, so that half of all lie ahead.
	err := l.queue.SetVerdictBatch(newest+math.MaxInt32/2, nfqueue.NfAccept)
	l.ended.Store(true)
	l.end()
	l.sender.Wait()
	return errors.Join(err, l.queue.Close())
}

// packet is one that the kernel keeps, by its number in the queue.
type packet struct {
	id  uint32
	due time.Time
}

// packets is a heap: the first that is due comes first.
type packets []packet

var _ heap.Interface = (*packets)(nil)

func (p packets) Len() int { return len(p) }
func (p packets) Less(i, j int) bool {
	if p[i].due.Equal(p[j].due) {
		return p[i].id < p[j].id
	}
	return p[i].due.Before(p[j].due)
}
func (p packets) Swap(i, j int) { p[i], p[j] = p[j], p[i] }
func (p *packets) Push(x any)   { *p = append(*p, x.(packet)) }
func (p *packets) Pop() any {
	last := len(*p) - 1
	x := (*p)[last]
	*p = (*p)[:last]
	return x
}
