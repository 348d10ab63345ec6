package main

import (
	"context"
	"errors"

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
			var k keepers
			return errors.Join(agent.Serve(context.Background(), w.stdin, w.stdout, agentJobs(&k)), k.Close())
		},
	}
}
