// Package actions is everything that a scenario file can name, joined from the
// vocabularies below it.
//
// A vocabulary is a list of definitions; this package and the command line are
// the only places that know them all.
package actions

import (
	"slices"

	"github.com/scenario-run/scenario/actions/chaos"
	"github.com/scenario-run/scenario/actions/control"
	"github.com/scenario-run/scenario/actions/exec"
	"github.com/scenario-run/scenario/actions/files"
	"github.com/scenario-run/scenario/actions/http"
	"github.com/scenario-run/scenario/actions/network"
	"github.com/scenario-run/scenario/actions/node"
	"github.com/scenario-run/scenario/actions/process"
	"github.com/scenario-run/scenario/actions/ray"
	"github.com/scenario-run/scenario/engine/step"
)

// Definitions are all definitions.
func Definitions() []step.Definition {
	all := slices.Concat(
		control.Definitions(),
		exec.Definitions(),
		files.Definitions(),
		http.Definitions(),
		network.Definitions(),
		node.Definitions(),
		process.Definitions(),
		ray.Definitions(),
	)
	return append(all, chaos.Definitions(all)...)
}

// New is the registry of all definitions.
func New() *step.Registry { return step.NewRegistry(Definitions()) }
