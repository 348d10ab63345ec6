// Package ray is the vocabulary of Ray: the node kind, deploying to Serve and
// changing what is deployed, jobs and drivers, the death and return of the GCS,
// the death of raylets, replicas and workers, and questions about nodes, actors,
// jobs and Serve.
//
// It asks Ray by its REST API, from inside the run's network; only where a
// scenario wants a driver is Ray's own Python run in a node. It rests on
// addresses, exit codes and JSON fields, never on a sentence of a log. The
// package must not know how nodes are run.
package ray

import (
	"github.com/scenario-run/scenario/engine/step"
)

// Definitions are the types of this vocabulary.
func Definitions() []step.Definition {
	return []step.Definition{
		nodeKind(),
		deployServe(),
		reconfig(),
		restartHead(),
		killGCS(),
		killRaylet(),
		killReplica(),
		killWorkerProcess(),
		submitJob(),
		runDriver(),
		nodesProbe(),
		actorsProbe(),
		serveProbe(),
		gcsProbe(),
		jobsProbe(),
	}
}
