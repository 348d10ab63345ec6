package runtime

import (
	"context"
	"io"
	"time"
)

// Unavailable is a Runtime of which every call fails with err: the place where
// nodes live could not be reached. A run on it is recorded as any other.
func Unavailable(err error) Runtime { return unavailable{err} }

type unavailable struct{ err error }

func (u unavailable) Info(context.Context) (Info, error) { return Info{}, u.err }
func (u unavailable) EnsureImage(context.Context, ImageSpec, func(Progress)) (Image, error) {
	return Image{}, u.err
}
func (u unavailable) CreateNetwork(context.Context, Scope, NetworkSpec) (Network, error) {
	return Network{}, u.err
}
func (u unavailable) CreateVolume(context.Context, Scope, VolumeSpec) (string, error) {
	return "", u.err
}
func (u unavailable) CreateNode(context.Context, Scope, NodeSpec) (NodeID, error) { return "", u.err }
func (u unavailable) StartNode(context.Context, NodeID) (NodeState, error) {
	return NodeState{}, u.err
}
func (u unavailable) RemoveNode(context.Context, NodeID) error              { return u.err }
func (u unavailable) SignalNode(context.Context, NodeID, string) error      { return u.err }
func (u unavailable) StopNode(context.Context, NodeID, time.Duration) error { return u.err }
func (u unavailable) PauseNode(context.Context, NodeID) error               { return u.err }
func (u unavailable) UnpauseNode(context.Context, NodeID) error             { return u.err }
func (u unavailable) InspectNode(context.Context, NodeID) (NodeState, error) {
	return NodeState{}, u.err
}
func (u unavailable) Usage(context.Context, NodeID) (Usage, error)     { return Usage{}, u.err }
func (u unavailable) Limits(context.Context, NodeID) (Limits, error)   { return Limits{}, u.err }
func (u unavailable) LimitCPUs(context.Context, NodeID, float64) error { return u.err }
func (u unavailable) LimitMemory(context.Context, NodeID, int64) error { return u.err }
func (u unavailable) Attachments(context.Context, NodeID) ([]Attachment, error) {
	return nil, u.err
}
func (u unavailable) Connect(context.Context, NodeID, Attachment) error   { return u.err }
func (u unavailable) Disconnect(context.Context, NodeID, string) error    { return u.err }
func (u unavailable) WaitExit(context.Context, NodeID) (NodeState, error) { return NodeState{}, u.err }
func (u unavailable) Exec(context.Context, NodeID, ExecSpec) (ExecResult, error) {
	return ExecResult{}, u.err
}
func (u unavailable) WriteFile(context.Context, NodeID, string, NewFile) error { return u.err }
func (u unavailable) ReadFile(context.Context, NodeID, string, int64) (File, error) {
	return File{}, u.err
}
func (u unavailable) Logs(context.Context, NodeID, time.Time, bool) (io.ReadCloser, error) {
	return nil, u.err
}
func (u unavailable) Watch(context.Context, Scope) (<-chan NodeEvent, error) { return nil, u.err }
func (u unavailable) Agent(context.Context, Scope, Place) (Agent, error) {
	return nil, u.err
}
func (u unavailable) Inspect(context.Context, NodeID) ([]byte, error) { return nil, u.err }

// Sweep removes nothing, since nothing could be made.
func (u unavailable) Sweep(context.Context, Scope, []NodeID) (Swept, error) { return Swept{}, nil }
func (u unavailable) Owners(context.Context) ([]Owned, error)               { return nil, u.err }
func (u unavailable) DropImages(context.Context, time.Time) (Swept, error) {
	return Swept{}, u.err
}
func (u unavailable) Close() error { return nil }
