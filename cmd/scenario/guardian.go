package main

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/scenario-run/scenario/engine/guardian"
	"github.com/scenario-run/scenario/engine/runtime"
)

const guardianCommand = "guardian"

// newGuardian is what cleans up after an engine that was killed. The run
// starts it; people don't.
func newGuardian(w *world) *cobra.Command {
	return &cobra.Command{
		Use:    guardianCommand,
		Hidden: true,
		Args:   none,
		RunE: func(*cobra.Command, []string) error {
			return guardian.Serve(w.stdin, w.registry(), func(json.RawMessage) (runtime.Runtime, error) { return w.runtime() })
		},
	}
}

// none refuses arguments.
func none(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage("%s takes no arguments, %q is one too many", cmd.CommandPath(), args[0])
	}
	return nil
}
