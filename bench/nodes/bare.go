package main

import (
	"context"
	"fmt"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
	"golang.org/x/sync/errgroup"
)

// bare brings n sleeping containers on a network up and down with nothing but
// the calls that this takes, side by side.
func bare(ctx context.Context, api *client.Client, image string, n int) (up, down time.Duration, err error) {
	name := fmt.Sprintf("scenario-bench-%d", time.Now().UnixNano())
	start := time.Now()
	nw, err := api.NetworkCreate(ctx, name, client.NetworkCreateOptions{Driver: "bridge"})
	if err != nil {
		return 0, 0, fmt.Errorf("create network: %w", err)
	}
	ids := make([]string, n)
	g, gctx := errgroup.WithContext(ctx)
	for i := range n {
		g.Go(func() (err error) {
			ids[i], err = bareNode(gctx, api, fmt.Sprintf("%s-%d", name, i), image, nw.ID)
			return err
		})
	}
	err = g.Wait()
	up = time.Since(start)
	start = time.Now()
	if cleanErr := bareDown(ctx, api, ids, nw.ID); err == nil {
		err = cleanErr
	}
	return up, time.Since(start), err
}

func bareNode(ctx context.Context, api *client.Client, name, image, networkID string) (string, error) {
	init := true
	made, err := api.ContainerCreate(ctx, client.ContainerCreateOptions{
		Name:       name,
		Config:     &container.Config{Image: image, Cmd: []string{"sleep", "600"}},
		HostConfig: &container.HostConfig{Init: &init, NetworkMode: container.NetworkMode(networkID)},
		NetworkingConfig: &network.NetworkingConfig{
			EndpointsConfig: map[string]*network.EndpointSettings{networkID: {}},
		},
	})
	if err != nil {
		return "", fmt.Errorf("create container: %w", err)
	}
	if _, err := api.ContainerStart(ctx, made.ID, client.ContainerStartOptions{}); err != nil {
		return made.ID, fmt.Errorf("start container: %w", err)
	}
	return made.ID, nil
}

func bareDown(ctx context.Context, api *client.Client, ids []string, networkID string) error {
	g, gctx := errgroup.WithContext(ctx)
	for _, id := range ids {
		if id == "" {
			continue
		}
		g.Go(func() error {
			_, err := api.ContainerRemove(gctx, id, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return fmt.Errorf("remove container: %w", err)
	}
	if _, err := api.NetworkRemove(ctx, networkID, client.NetworkRemoveOptions{}); err != nil {
		return fmt.Errorf("remove network: %w", err)
	}
	return nil
}
