package docker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/build"
	"github.com/moby/moby/api/types/jsonstream"
	"github.com/moby/moby/client"

	"github.com/scenario-run/scenario/engine/runtime"
)

// lastLines is how much of a failed build's output is shown.
const lastLines = 20

// builtPrefix begins the names of the images that are built here.
const builtPrefix = "scenario/"

// build makes the image of a Dockerfile, unless that was done before: its tag
// is the hash of all that goes into it.
func (r *Runtime) build(ctx context.Context, spec runtime.ImageSpec, progress func(runtime.Progress)) (runtime.Image, error) {
	in, err := readContext(*spec.Build)
	if err != nil {
		return runtime.Image{}, &runtime.Error{Kind: runtime.BuildFailed, Op: "build image " + spec.Name, Err: err}
	}
	hash, err := r.hashOf(ctx, in, *spec.Build)
	if err != nil {
		return runtime.Image{}, err
	}
	tag := builtPrefix + strings.ToLower(clean(spec.Name)) + ":" + hash[:12]
	// The same image is built once, by whoever comes first.
	unlock, err := r.locks.lock(ctx, "image "+tag)
	if err != nil {
		return runtime.Image{}, err
	}
	defer unlock()
	image, err := r.local(ctx, tag, "cached")
	if err == nil || !errdefs.IsNotFound(err) {
		return image, err
	}
	options := client.ImageBuildOptions{
		Tags:       []string{tag},
		Dockerfile: in.dockerfile,
		BuildArgs:  map[string]*string{},
		Target:     spec.Build.Target,
		Labels:     map[string]string{labelImage: spec.Name},
		// Of the classic builder: leave no container behind.
		Remove: true, ForceRemove: true,
	}
	for name, value := range spec.Build.Args {
		options.BuildArgs[name] = &value
	}
	progress(runtime.Progress{Text: "building from " + spec.Build.Context, Stage: true})
	if err := r.runBuild(ctx, spec.Name, in, options, progress); err != nil {
		return runtime.Image{}, err
	}
	return r.local(ctx, tag, "built")
}

// runBuild builds with BuildKit, which needs no session for an uploaded
// context, or where the daemon has none with the classic builder.
func (r *Runtime) runBuild(ctx context.Context, name string, in *buildContext, options client.ImageBuildOptions, progress func(runtime.Progress)) error {
	options.Version = build.BuilderBuildKit
	response, err := r.sendBuild(ctx, in, options)
	if err != nil && ctx.Err() == nil && !lost(err) && noBuildKit(err) {
		options.Version = build.BuilderV1
		response, err = r.sendBuild(ctx, in, options)
	}
	if err != nil {
		return r.buildFailed(ctx, name, err, nil)
	}
	output := &tail{limit: lastLines}
	err = readBuild(response, func(line runtime.Progress) {
		output.add(line.Text)
		progress(line)
	})
	if err != nil {
		return r.buildFailed(ctx, name, err, output.lines)
	}
	return nil
}

// noBuildKit says that the daemon refused the build for its builder's version.
func noBuildKit(err error) bool {
	text := strings.ToLower(err.Error())
	return strings.Contains(text, "buildkit") || strings.Contains(text, "invalid version")
}

// sendBuild uploads the context and returns the daemon's answer as it comes.
func (r *Runtime) sendBuild(ctx context.Context, in *buildContext, options client.ImageBuildOptions) (io.ReadCloser, error) {
	packed, writer := io.Pipe()
	go func() { writer.CloseWithError(in.pack(writer)) }() // ends with the request, which closes its body
	response, err := r.api.ImageBuild(ctx, packed, options)
	if err != nil {
		return nil, errors.Join(err, packed.Close())
	}
	return response.Body, nil
}

func (r *Runtime) buildFailed(ctx context.Context, name string, err error, output []string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	op := "build image " + name
	detail := strings.Join(output, "\n")
	failed := &runtime.Error{Kind: runtime.BuildFailed, Op: op, Err: r.fault(err), Detail: detail}
	// The disk may be full for the daemon or for a command of the build.
	known := r.failed(ctx, op, fmt.Errorf("%w\n%s", err, detail))
	switch kind := runtime.KindOf(known); kind {
	case runtime.NoSpace:
		failed.Kind, failed.Hint = kind, "docker system df; docker system prune"
	case runtime.Unreachable:
		return r.failed(ctx, op, err)
	}
	if text := err.Error(); strings.Contains(text, "pull access denied") || strings.Contains(text, "dial tcp") ||
		strings.Contains(text, "failed to do request") || strings.Contains(text, "failed to resolve source metadata") {
		failed.Hint = noImageHint
	}
	return failed
}

// fault leaves out which parts of BuildKit handed an error on.
func (r *Runtime) fault(err error) error {
	err = r.plain(err)
	text := err.Error()
	for _, layer := range []string{"failed to solve with frontend dockerfile.v0: ", "failed to solve: ", "failed to create LLB definition: "} {
		text = strings.TrimPrefix(text, layer)
	}
	return &shortened{text, err}
}

// readBuild hands on the lines of a build until it ends, and closes its stream.
func readBuild(stream io.ReadCloser, line func(runtime.Progress)) (err error) {
	defer func() { err = errors.Join(err, stream.Close()) }()
	var steps trace
	messages := json.NewDecoder(stream)
	for {
		var m jsonstream.Message
		if err := messages.Decode(&m); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		switch {
		case m.Error != nil:
			return m.Error
		case m.ID == "moby.buildkit.trace" && m.Aux != nil:
			var encoded []byte
			if err := json.Unmarshal(*m.Aux, &encoded); err != nil {
				return fmt.Errorf("read the build's progress: %w", err)
			}
			lines, err := steps.decode(encoded)
			if err != nil {
				return fmt.Errorf("read the build's progress: %w", err)
			}
			for _, l := range lines {
				line(l)
			}
		default:
			for _, l := range splitLines(m.Stream + m.Status) {
				line(runtime.Progress{Text: l, Stage: classicStage.MatchString(l)})
			}
		}
	}
}

// classicStage is how the classic builder begins a step.
var classicStage = regexp.MustCompile(`^Step \d+/\d+ :`)

// colours are what the classic builder puts around standard error.
var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// splitLines returns the lines of a text that say something.
func splitLines(text string) []string {
	var lines []string
	for l := range strings.Lines(colours.ReplaceAllString(text, "")) {
		if l = strings.TrimRight(l, " \r\n"); l != "" {
			lines = append(lines, l)
		}
	}
	return lines
}

// tail keeps the last lines.
type tail struct {
	limit int
	lines []string
}

func (t *tail) add(line string) {
	t.lines = append(t.lines, line)
	if len(t.lines) > t.limit {
		t.lines = t.lines[1:]
	}
}
