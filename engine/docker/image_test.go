package docker_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/moby/moby/client"

	"github.com/scenario-run/scenario/engine/docker"
	"github.com/scenario-run/scenario/engine/runtime"
)

// dockerfile writes a build's directory and returns the image's specification.
func dockerfile(t *testing.T, name, text string) runtime.ImageSpec {
	t.Helper()
	dir := t.TempDir()
	for file, content := range map[string]string{"Dockerfile": text, "file": "content\n"} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return runtime.ImageSpec{Name: name, Build: &runtime.BuildSpec{
		Context: dir, Args: map[string]string{"BASE": image(t), "SALT": dir}, // never built before
	}}
}

// api is a client of its own, to look at and clean up what the tests make.
func api(t *testing.T) *client.Client {
	t.Helper()
	c, err := client.New(client.FromEnv)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// removeImage removes an image at the end of the test.
func removeImage(t *testing.T, ref string) {
	c := api(t)
	t.Cleanup(func() {
		_, err := c.ImageRemove(context.Background(), ref, client.ImageRemoveOptions{Force: true, PruneChildren: true})
		if err != nil {
			t.Error(err)
		}
	})
}

func TestAnImageThatIsHereIsNotAskedOfARegistry(t *testing.T) {
	r := connect(t)
	defer r.Close()
	got, err := r.EnsureImage(t.Context(), runtime.ImageSpec{Name: "base", Pull: image(t)}, nil)
	if err != nil || got.Ref != image(t) || !strings.HasPrefix(got.Digest, "sha256:") || got.How != "local" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestAnImageThatIsNowhereIsNotFoundAndTheMessageSaysWhatToDo(t *testing.T) {
	r := connect(t)
	defer r.Close()
	// A registry that refuses at once, whatever network there is.
	_, err := r.EnsureImage(t.Context(), runtime.ImageSpec{Name: "x", Pull: "127.0.0.1:1/no/such:image"}, nil)
	var failed *runtime.Error
	if !errors.As(err, &failed) || failed.Kind != runtime.NotFound || !strings.Contains(failed.Hint, "make setup") ||
		!strings.Contains(err.Error(), "127.0.0.1:1/no/such:image") {
		t.Errorf("got %v (kind %s)", err, runtime.KindOf(err))
	}
}

func TestAnImageIsBuiltOnceForItsContent(t *testing.T) {
	r := connect(t)
	defer r.Close()
	spec := dockerfile(t, "once", "ARG BASE\nFROM ${BASE}\nARG SALT\nRUN echo built-$SALT > /salt\nCOPY file /file\n")
	var lines []string
	first, err := r.EnsureImage(t.Context(), spec, func(l runtime.Progress) { lines = append(lines, fmt.Sprint(l.Stage, " ", l.Text)) })
	if err != nil {
		t.Fatal(err)
	}
	removeImage(t, first.Ref)
	if first.How != "built" || !strings.HasPrefix(first.Ref, "scenario/once:") || !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "true ") && strings.Contains(l, "RUN echo built") }) {
		t.Errorf("got %+v, and lines %q", first, lines)
	}
	again, err := r.EnsureImage(t.Context(), spec, nil)
	if err != nil || again.How != "cached" || again.Ref != first.Ref || again.Digest != first.Digest {
		t.Errorf("again: %+v, %v", again, err)
	}
	if err := os.WriteFile(filepath.Join(spec.Build.Context, "file"), []byte("other"), 0o644); err != nil {
		t.Fatal(err)
	}
	changed, err := r.EnsureImage(t.Context(), spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	removeImage(t, changed.Ref)
	if changed.How != "built" || changed.Ref == first.Ref {
		t.Errorf("changed: %+v", changed)
	}
}

func TestTheSameImageAskedForAtOnceIsBuiltOnce(t *testing.T) {
	r := connect(t)
	defer r.Close()
	spec := dockerfile(t, "at-once", "ARG BASE\nFROM ${BASE}\nARG SALT\nRUN echo $SALT > /salt\n")
	var how [4]string
	var ref string
	var asked sync.WaitGroup
	for i := range how {
		asked.Go(func() {
			got, err := r.EnsureImage(t.Context(), spec, nil)
			if err != nil {
				t.Error(err)
			}
			how[i] = got.How
			if i == 0 {
				ref = got.Ref
			}
		})
	}
	asked.Wait()
	removeImage(t, ref)
	if got := strings.Join(how[:], " "); strings.Count(got, "built") != 1 || strings.Count(got, "cached") != 3 {
		t.Errorf("got %s", got)
	}
}

func TestAFailedBuildShowsItsLastLines(t *testing.T) {
	r := connect(t)
	defer r.Close()
	for name, test := range map[string]struct{ text, want string }{
		"a command fails":          {"ARG BASE\nFROM ${BASE}\nARG SALT\nRUN echo the reason; exit 3\n", "the reason"},
		"a line can't be read":     {"ARG BASE\nFROM ${BASE}\nNONSENSE here\n", ""},
		"the base is nowhere":      {"FROM 127.0.0.1:1/no/such:base\n", ""},
		"a file that is not there": {"ARG BASE\nFROM ${BASE}\nCOPY absent /\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := r.EnsureImage(t.Context(), dockerfile(t, "broken", test.text), nil)
			var failed *runtime.Error
			if !errors.As(err, &failed) || failed.Kind != runtime.BuildFailed || !strings.Contains(failed.Detail, test.want) ||
				!strings.HasPrefix(err.Error(), "build image broken: ") {
				t.Errorf("got %v (kind %s)", err, runtime.KindOf(err))
			}
			t.Logf("%v\n%s\nhint: %s", err, failed.Detail, failed.Hint)
		})
	}
	_, err := r.EnsureImage(t.Context(), runtime.ImageSpec{Name: "broken", Build: &runtime.BuildSpec{Context: t.TempDir()}}, nil)
	if runtime.KindOf(err) != runtime.BuildFailed {
		t.Errorf("no Dockerfile: %v (kind %s)", err, runtime.KindOf(err))
	}
}

func TestACancelledBuildEnds(t *testing.T) {
	r := connect(t)
	defer r.Close()
	spec := dockerfile(t, "cancelled", "ARG BASE\nFROM ${BASE}\nARG SALT\nRUN echo begun; sleep 600\n")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err := r.EnsureImage(ctx, spec, func(line runtime.Progress) {
		if line.Text == "begun" {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestADaemonWithoutBuildKitBuildsWithTheClassicBuilder(t *testing.T) {
	socket := daemonSocket(t)
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: "docker"})
	proxy.Transport = &http.Transport{DialContext: socket.dial}
	proxy.FlushInterval = -1
	var versions []string
	host := serveSocket(t, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if strings.HasSuffix(q.URL.Path, "/build") {
			versions = append(versions, q.URL.Query().Get("version"))
			if q.URL.Query().Get("version") == "2" {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusBadRequest)
				w.Write([]byte(`{"message":"BuildKit is not supported by this daemon"}`))
				return
			}
		}
		proxy.ServeHTTP(w, q)
	}))
	r, err := docker.New(t.Context(), docker.Options{Host: host, AgentBinary: agentBinary})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got, err := r.EnsureImage(t.Context(), dockerfile(t, "classic", "ARG BASE\nFROM ${BASE}\nARG SALT\nRUN echo $SALT > /salt\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	removeImage(t, got.Ref)
	if got.How != "built" || strings.Join(versions, " ") != "2 1" {
		t.Errorf("got %+v with versions %v", got, versions)
	}
	_, err = r.EnsureImage(t.Context(), dockerfile(t, "classic", "ARG BASE\nFROM ${BASE}\nARG SALT\nRUN echo the reason; exit 3\n"), nil)
	var failed *runtime.Error
	if !errors.As(err, &failed) || failed.Kind != runtime.BuildFailed || !strings.Contains(failed.Detail, "the reason") {
		t.Errorf("got %v", err)
	}
}
