package agent

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
)

func TestTheLeaseEndsWithTheInput(t *testing.T) {
	agentIn, toAgent := io.Pipe()
	fromAgent, agentOut := io.Pipe()
	jobEnded := make(chan struct{})
	served := make(chan error, 1)
	go func() {
		served <- Serve(context.Background(), agentIn, agentOut, map[string]Job{
			"wait": func(ctx context.Context, _ []byte, out func([]byte) error) error {
				defer close(jobEnded)
				if err := out(nil); err != nil {
					return err
				}
				<-ctx.Done()
				return nil
			},
		})
	}()
	c, err := NewClient(t.Context(), struct {
		io.Reader
		io.Writer
		io.Closer
	}{fromAgent, toAgent, toAgent})
	if err != nil {
		t.Fatal(err)
	}
	err = c.Run(t.Context(), "wait", nil, func([]byte) error { return toAgent.Close() })
	if !errors.Is(err, ErrLost) {
		t.Errorf("the client sees %v", err)
	}
	<-jobEnded
	if err := <-served; err != nil {
		t.Error(err)
	}
	<-c.Lost()
}

func TestAnAgentThatDoesNotAnswerIsGivenUpWithTheContext(t *testing.T) {
	ours, theirs := net.Pipe()
	defer theirs.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		theirs.Read(make([]byte, 12)) // the ping
		cancel()
	}()
	if _, err := NewClient(ctx, ours); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
