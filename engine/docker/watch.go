package docker

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/moby/moby/api/types/events"
	"github.com/moby/moby/client"

	"github.com/scenario-run/scenario/engine/runtime"
)

// kinds are the events that are passed on, by the daemon's names for them.
var kinds = map[events.Action]string{
	events.ActionStart:   "start",
	events.ActionDie:     "exit",
	events.ActionOOM:     "oom",
	events.ActionPause:   "pause",
	events.ActionUnPause: "unpause",
}

// Watch subscribes to the daemon's events.
func (r *Runtime) Watch(ctx context.Context, scope runtime.Scope) (<-chan runtime.NodeEvent, error) {
	filter := of(scope).Add("type", string(events.ContainerEventType)).Add("label", labelRole+"="+roleNode)
	for action := range kinds {
		filter.Add("event", string(action))
	}
	// The daemon answers a moment before its subscription is in force; asking
	// from now on makes it repeat what happened in between.
	now := time.Now()
	ctx, cancel := context.WithCancel(ctx)
	stream := r.api.Events(ctx, client.EventsListOptions{
		Since: fmt.Sprintf("%d.%09d", now.Unix(), now.Nanosecond()), Filters: filter,
	})
	select {
	case err := <-stream.Err:
		cancel()
		return nil, r.failed(ctx, "watch the nodes", err)
	default:
	}
	found := make(chan runtime.NodeEvent)
	go func() {
		defer cancel()
		defer close(found)
		r.forward(ctx, stream, found)
	}()
	return found, nil
}

// forward hands events on until the stream ends.
func (r *Runtime) forward(ctx context.Context, stream client.EventsResult, to chan<- runtime.NodeEvent) {
	for {
		var event runtime.NodeEvent
		select {
		case message := <-stream.Messages:
			event = eventOf(message)
		case err := <-stream.Err:
			if ctx.Err() != nil {
				return
			}
			if err == nil {
				err = errors.New("the daemon ended its events")
			}
			event = runtime.NodeEvent{At: time.Now(), Err: r.failed(ctx, "watch the nodes", err)}
		}
		select {
		case to <- event:
		case <-ctx.Done():
			return
		}
		if event.Err != nil {
			return
		}
	}
}

func eventOf(m events.Message) runtime.NodeEvent {
	// Only an exit has a code, and then it is a number.
	code, _ := strconv.Atoi(m.Actor.Attributes["exitCode"])
	return runtime.NodeEvent{
		Node:     runtime.NodeID(m.Actor.ID),
		Address:  m.Actor.Attributes[labelAddress],
		Kind:     kinds[m.Action],
		ExitCode: code,
		At:       time.Unix(0, m.TimeNano),
	}
}
