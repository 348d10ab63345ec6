// Package files is the vocabulary of what lies in nodes: files to put there and
// to look at, and what nodes have printed. It needs nothing in a node's image,
// and most of it works for nodes that are down.
package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"time"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// Definitions are the types of this vocabulary.
func Definitions() []step.Definition {
	return []step.Definition{copyTo(), file(), logs()}
}

// pathArg is an argument that is a path in a node.
func pathArg(name, doc string) schema.Attr {
	return schema.Attr{Name: name, Type: cty.String, Required: true, Doc: doc, Check: func(v cty.Value) error {
		return schema.CheckNodePath(v.AsString())
	}}
}

type copyIn struct {
	Node    step.Node `scn:"node,required" doc:"The node to put the file into."`
	From    *string   `scn:"from" check:"host_file" doc:"The file to copy, relative to the file that says it."`
	Content *string   `scn:"content" doc:"The content, in place of from."`
	To      string    `scn:"to,required"`
}

type copyOut struct {
	Path  string `scn:"path" doc:"Where it lies in the node."`
	Bytes int64  `scn:"bytes" doc:"How many bytes it has."`
}

// mostCopied is how large a file may be that is copied: it is held in memory.
const mostCopied = 256 << 20

func copyTo() step.Definition {
	return step.NewAction(schema.Type{
		Name:    "copy",
		Summary: "puts a file into a node",
		Doc: `The node may be down, which is how to change what it will read at its next start.
Directories that are missing are made, and a file that is there is replaced. It belongs to
root, all may read it, and it can be executed if the one that is copied can, or if it begins
with ` + "`#!`" + `. It has at most 256 MiB, and is one file: a whole directory is for ` + "`mounts`" + `. A path in ` + "`/proc`, `/sys` or `/dev`" + ` can't be written.`,
		Args: schema.Object{Attrs: []schema.Attr{pathArg("to", "The path in the node, such as /etc/app.conf.")}},
		Check: func(args cty.Value) error {
			from, content := args.GetAttr("from"), args.GetAttr("content")
			switch {
			case from.IsKnown() && content.IsKnown() && from.IsNull() && content.IsNull():
				return errors.New("say what to copy, with from or content")
			case from.IsKnown() && content.IsKnown() && !from.IsNull() && !content.IsNull():
				return errors.New("from and content exclude each other")
			}
			return nil
		},
		Examples: []schema.Example{{
			Title: "Change a node's configuration while it is down",
			Text: example(`
action "stop" "down" {
  nodes = [node.web]
}

action "copy" "config" {
  node    = node.web
  to      = "/etc/app.conf"
  content = "workers = 1\n"
}

action "start" "up" {
  nodes = [node.web]
}
`),
		}},
	}, runCopy)
}

func runCopy(ctx context.Context, env *step.Env, in copyIn) (copyOut, string, error) {
	f, err := in.file()
	if err != nil {
		return copyOut{}, "", err
	}
	if err := env.Nodes.WriteFile(ctx, string(in.Node), in.To, f); err != nil {
		return copyOut{}, "", asFailure(env, in, err)
	}
	return copyOut{in.To, int64(len(f.Content))}, fmt.Sprintf("%s: %d bytes", in.To, len(f.Content)), nil
}

// asFailure tells a volume that is full, which may be what is tested, from the
// disk of the place.
func asFailure(env *step.Env, in copyIn, err error) error {
	if runtime.KindOf(err) != runtime.NoSpace {
		return err
	}
	volume, none := env.Disks.Volume(string(in.Node), in.To)
	if none != nil {
		return err
	}
	return step.Failf("copy: volume.%s, which %s in %s is on, has too little room for it", volume.Name, in.To, in.Node)
}

// file is what is to be in the node.
func (in copyIn) file() (runtime.NewFile, error) {
	if in.Content != nil {
		return runtime.NewFile{Content: []byte(*in.Content)}, nil
	}
	return read(*in.From)
}

// read reads a file of this machine. That it was there when the scenario was
// checked says little about now.
func read(name string) (f runtime.NewFile, err error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, step.Failf("copy: there is no file %s", name)
	case err != nil:
		return f, step.Failf("copy: %w", err)
	case !info.Mode().IsRegular():
		return f, step.Failf("copy: %s is not a file", name)
	case info.Size() > mostCopied:
		return f, step.Failf("copy: %s has %d bytes; the most is %d", name, info.Size(), mostCopied).With("", "mount it: mounts = { \"/path\" = \"/host/path:ro\" }")
	}
	f.Executable = info.Mode().Perm()&0o100 != 0
	if f.Content, err = os.ReadFile(name); err != nil {
		return f, step.Failf("copy: %w", err)
	}
	return f, nil
}

type fileIn struct {
	Node step.Node `scn:"node,required" doc:"The node to look into."`
	Path string    `scn:"path,required"`
}

type fileOut struct {
	Exists    bool    `scn:"exists" doc:"Whether something is there, a directory too."`
	Size      *int64  `scn:"size" doc:"How many bytes it has; null if it is not a file."`
	Content   *string `scn:"content" doc:"Its content, at most the first MiB; null if that is not text in UTF-8, or no file."`
	Truncated bool    `scn:"truncated" doc:"Whether it has more than content."`
	SHA256    *string `scn:"sha256" doc:"The hash of all of it, in hexadecimal; null if it is not a file."`
}

// shown is how much of a file a probe returns.
const shown = 1 << 20

func file() step.Definition {
	return step.NewProbe(schema.Type{
		Name:    "file",
		Summary: "a file in a node",
		Doc:     "The node may be down. Links are followed. A file that isn't there is no error: `exists` is false. What exists only while a node runs, such as `/proc`, is not seen.",
		Args:    schema.Object{Attrs: []schema.Attr{pathArg("path", "The path in the node.")}},
		Examples: []schema.Example{{
			Title: "What a node has written outlives it",
			Text: example(`
probe "file" "hosts" {
  node = node.web
  path = "/etc/hosts"
}

action "stop" "outage" {
  nodes = [node.web]
}

assert "still_there" {
  condition = probe.hosts.exists
}

action "start" "back" {
  nodes = [node.web]
}
`),
		}},
	}, func(ctx context.Context, env *step.Env, in fileIn) (fileOut, error) {
		f, err := env.Nodes.ReadFile(ctx, string(in.Node), in.Path, shown)
		switch {
		case runtime.KindOf(err) == runtime.NotFound && err != nil:
			return fileOut{}, nil
		case err != nil:
			return fileOut{}, err
		case f.Directory:
			return fileOut{Exists: true}, nil
		}
		out := fileOut{Exists: true, Size: &f.Size, SHA256: &f.SHA256, Truncated: f.Size > int64(len(f.Content))}
		if text, ok := wholeText(f.Content, out.Truncated); ok {
			out.Content = &text
		}
		return out, nil
	})
}

// wholeText is content as text, if it is one. Where it was cut, a character may
// have been.
func wholeText(content []byte, cut bool) (string, bool) {
	for range utf8.UTFMax - 1 {
		if !cut || utf8.Valid(content) || len(content) == 0 {
			break
		}
		content = content[:len(content)-1]
	}
	return string(content), utf8.Valid(content)
}

type logsIn struct {
	Node  step.Node      `scn:"node,required" doc:"The node whose log it is."`
	Match *regexp.Regexp `scn:"match" doc:"Count only the lines that match."`
	Since string         `scn:"since" ref:"step" doc:"Count only what was printed since that step was started."`
}

type logsOut struct {
	Count int      `scn:"count" doc:"How many lines."`
	Lines []string `scn:"lines" doc:"The last of them, at most 100."`
	Last  *string  `scn:"last" doc:"The last one; null if there is none."`
}

// remembered is how many lines a probe returns.
const remembered = 100

func logs() step.Definition {
	return step.NewProbe(schema.Type{
		Name:    "logs",
		Summary: "what a node has printed",
		Doc: "Both outputs, in all starts of the node, in order. The node may be down. A line takes a moment to arrive: wait for one with `within`, " +
			"and let that there is none `hold` for a while. A step in `since` that has not been started counts nothing.",
		Examples: []schema.Example{{
			Title: "No error since a fault",
			Text: example(`
action "pause" "stall" {
  nodes = [node.web]
  for   = "2s"
}

probe "logs" "errors" {
  node  = node.web
  match = "(?i)error"
  since = action.stall
}

assert "quiet" {
  condition = probe.errors.count == 0
}
`),
		}},
	}, func(ctx context.Context, env *step.Env, in logsIn) (logsOut, error) {
		out := logsOut{Lines: []string{}}
		var since time.Time
		if in.Since != "" {
			if since = env.Started(in.Since); since.IsZero() {
				return out, nil
			}
		}
		err := env.Nodes.Log(ctx, string(in.Node), since, func(line string) {
			if in.Match != nil && !in.Match.MatchString(line) {
				return
			}
			out.Count++
			out.Lines = append(out.Lines, line)
			if len(out.Lines) > remembered {
				out.Lines = out.Lines[1:]
			}
			out.Last = &line
		})
		return out, err
	})
}

// example is a whole file around some steps.
func example(steps string) string {
	return `scenario "example" {}

node "web" {
  image   = "python:3.11-slim-bookworm"
  command = ["python3", "-m", "http.server", "8080"]
  ready {
    tcp = 8080
  }
}
` + steps
}
