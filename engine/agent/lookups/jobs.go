//go:build linux

package lookups

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/scenario-run/scenario/engine/agent/nft"
	"github.com/scenario-run/scenario/engine/lookup"
)

// Keeper is what an agent lets fail. Its jobs change and show that, and Close
// ends it: no agent leaves anything in force when its lease is over.
type Keeper struct {
	mu     sync.Mutex
	conn   *nft.Conn // nil until it is needed
	server *server   // nil while nothing fails
}

// Fail is lookup.FailJob.
func (k *Keeper) Fail(_ context.Context, spec []byte, _ func([]byte) error) error {
	var all []lookup.Failure
	if err := json.Unmarshal(spec, &all); err != nil {
		return fmt.Errorf("read what is to fail: %w", err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.open(); err != nil {
		return err
	}
	if len(all) == 0 && k.server == nil { // of an agent before this one, which was killed
		return errors.Join(letGo(k.conn), forgetFlows())
	}
	if len(all) == 0 {
		return k.end()
	}
	if k.server != nil {
		k.server.failures.Store(&all)
		return nil
	}
	resolver, err := resolverOf(ownResolvers)
	if err != nil {
		return err
	}
	s, err := serve(resolver)
	if err != nil {
		return err
	}
	s.failures.Store(&all)
	if err := redirect(k.conn, s.port()); err != nil {
		return errors.Join(err, s.Close())
	}
	k.server = s
	return forgetFlows()
}

// Look is lookup.LookJob.
func (k *Keeper) Look(ctx context.Context, spec []byte, out func([]byte) error) error {
	var asked lookup.Questions
	if err := json.Unmarshal(spec, &asked); err != nil {
		return fmt.Errorf("read the names: %w", err)
	}
	if len(asked.Resolvers) == 0 {
		own, err := resolverOf(ownResolvers)
		if err != nil {
			return err
		}
		asked.Resolvers = []string{own}
	}
	seen, err := lookup.Seen{Answers: make([]lookup.Answer, len(asked.Names))}, error(nil)
	if seen.Led, seen.InForce, err = k.inForce(); err != nil {
		return err
	}
	way := asking{within: lookTime}
	if asked.Truly {
		way = asking{within: trulyTime, control: marked}
	}
	var all sync.WaitGroup
	errs := make([]error, len(asked.Names))
	for i, name := range asked.Names {
		all.Go(func() { seen.Answers[i], errs[i] = way.lookAll(ctx, asked.Resolvers, name) })
	}
	all.Wait()
	line, err := json.Marshal(seen)
	if err := errors.Join(append(errs, err)...); err != nil {
		return err
	}
	return out(line)
}

// inForce says whether questions are led away, and to a server that is there.
func (k *Keeper) inForce() (isLed, answered bool, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.open(); err != nil {
		return false, false, err
	}
	isLed, err = led(k.conn)
	return isLed, isLed && k.server != nil, err
}

// open opens the way to the kernel's tables, once. Under the lock.
func (k *Keeper) open() error {
	if k.conn != nil {
		return nil
	}
	conn, err := nft.Open()
	if err == nil {
		k.conn = conn
	}
	return err
}

// Close takes back what was put in force.
func (k *Keeper) Close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.conn == nil {
		return nil
	}
	return errors.Join(k.end(), k.conn.Close())
}

// end lets questions go where they would before nobody answers them here.
func (k *Keeper) end() error {
	if k.server == nil {
		return nil
	}
	if err := letGo(k.conn); err != nil {
		return err
	}
	s := k.server
	k.server = nil
	return errors.Join(forgetFlows(), s.Close())
}

const (
	// lookTime is how long an answer is waited for before it counts as dropped.
	// Ours come from the same host.
	lookTime = 300 * time.Millisecond
	// trulyTime is the same for those that may come from elsewhere: what programs
	// wait for an answer (resolv.conf(5), timeout).
	trulyTime = 5 * time.Second
)

// asking is how resolvers are asked.
type asking struct {
	within  time.Duration
	control func(string, string, syscall.RawConn) error // of the socket; nil: nothing
}

// lookAll asks each of the resolvers for a name, side by side.
func (a asking) lookAll(ctx context.Context, resolvers []string, name string) (lookup.Answer, error) {
	answers, errs := make([]lookup.Answer, len(resolvers)), make([]error, len(resolvers))
	var all sync.WaitGroup
	for i, r := range resolvers {
		all.Go(func() { answers[i], errs[i] = a.look(ctx, r, name) })
	}
	all.Wait()
	answer := answers[0]
	if slices.Contains(answers, lookup.Resolved) {
		answer = lookup.Resolved
	}
	return answer, errors.Join(errs...)
}

// look asks for a name as any program in the node would.
func (a asking) look(ctx context.Context, resolver, name string) (lookup.Answer, error) {
	asked, err := dnsmessage.NewName(strings.TrimSuffix(name, ".") + ".")
	if err != nil {
		return "", fmt.Errorf("%q is not a name: %w", name, err)
	}
	q := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: 1, RecursionDesired: true},
		Questions: []dnsmessage.Question{{Name: asked, Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET}},
	}
	text, err := q.Pack()
	if err != nil {
		return "", fmt.Errorf("ask for %s: %w", name, err)
	}
	ctx, cancel := context.WithTimeout(ctx, a.within)
	defer cancel()
	answer, err := ask(ctx, "udp", resolver, text, a.control)
	if err != nil {
		return lookup.Drop, nil // whether none came or it was refused
	}
	var p dnsmessage.Parser
	header, err := p.Start(answer)
	if err != nil {
		return "", fmt.Errorf("the answer for %s: %w", name, err)
	}
	switch header.RCode {
	case dnsmessage.RCodeNameError:
		return lookup.NXDomain, nil
	case dnsmessage.RCodeServerFailure:
		return lookup.ServFail, nil
	case dnsmessage.RCodeSuccess:
		return lookup.Resolved, nil
	}
	return lookup.Refused, nil
}

// ownResolvers is the agent's file, which is the one that the place gave the
// node, from where both have it.
const ownResolvers = "/etc/resolv.conf"

// resolverOf is the first name server of a resolv.conf.
func resolverOf(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("find the resolver: %w", err)
	}
	all := lookup.Resolvers(string(text))
	if len(all) == 0 {
		return "", fmt.Errorf("find the resolver: %s names none", path)
	}
	return all[0], nil
}
