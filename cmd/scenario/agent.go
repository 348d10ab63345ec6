package main

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"github.com/spf13/cobra"

	"github.com/scenario-run/scenario/engine/agent"
)

// newAgent is what runs beside the nodes. The engine starts it; people don't.
func newAgent(w *world) *cobra.Command {
	return &cobra.Command{
		Use:    "agent",
		Hidden: true,
		Args:   none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			k := keepers{processors: oneProcessor()}
			return errors.Join(agent.Serve(context.Background(), w.stdin, w.stdout, agentJobs(&k)), k.Close())
		},
	}
}

// processors are those that an agent makes use of: one, so that a message is
// passed from hand to hand without waking others up, which takes longer than what
// is to be done; and all while it sends traffic.
type processors struct {
	mu   sync.Mutex
	jobs int // those that want all
}

func oneProcessor() *processors {
	runtime.GOMAXPROCS(1)
	return &processors{}
}

// all makes a job one that wants all processors.
func (p *processors) all(job agent.Job) agent.Job {
	return func(ctx context.Context, spec []byte, out func([]byte) error) error {
		p.want(1)
		defer p.want(-1)
		return job(ctx, spec, out)
	}
}

func (p *processors) want(jobs int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.jobs
	p.jobs += jobs
	switch {
	case before == 0 && p.jobs > 0:
		runtime.SetDefaultGOMAXPROCS()
	case before > 0 && p.jobs == 0:
		runtime.GOMAXPROCS(1)
	}
}
