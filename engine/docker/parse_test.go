package docker

import (
	"archive/tar"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scenario-run/scenario/engine/runtime"
)

var update = flag.Bool("update", false, "write the golden files")

func TestBaseImagesAreFound(t *testing.T) {
	for _, test := range []struct {
		name, dockerfile string
		args             map[string]string
		want             []string
	}{
		{"one", "FROM debian:12\nRUN true\n", nil, []string{"debian:12"}},
		{"by argument", "ARG BASE=debian:12\nFROM ${BASE}\n", nil, []string{"debian:12"}},
		{"by given argument", "ARG BASE=debian:12\nFROM $BASE\n", map[string]string{"BASE": "other"}, []string{"other"}},
		{"argument in argument", "ARG V=12\nARG BASE=\"debian:$V\"\nFROM $BASE\n", nil, []string{"debian:12"}},
		{"preset", "ARG BASE\nFROM ${BASE:-debian:12}\n", nil, []string{"debian:12"}},
		{"stages are none", "FROM --platform=linux/amd64 go AS Build\nFROM scratch\nCOPY --from=build /a /a\nCOPY --from=0 /a /a\nCOPY --from=tools:1 /b /b\n", nil, []string{"go", "tools:1"}},
		{"comments and lower case", "# FROM no\nfrom a \\\n  as b\nFROM b\n", nil, []string{"a"}},
		{"an argument after FROM counts for no FROM", "ARG A=a\nFROM $A\nARG A=b\nFROM $A\n", nil, []string{"a"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := baseImages(test.dockerfile, test.args); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestHostRoutesAreReadButTheDefault(t *testing.T) {
	table := "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n" +
		"eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n" +
		"docker0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0\n" +
		"eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"
	got, err := parseRoutes(strings.NewReader(table))
	want := []netip.Prefix{netip.MustParsePrefix("172.17.0.0/16"), netip.MustParsePrefix("192.0.2.0/24")}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := parseRoutes(strings.NewReader("heading\neth0 xyz 0 0 0 0 0 0\n")); err == nil {
		t.Error("a table that can't be read gives no error")
	}
}

func TestEverySubnetOfThePoolsIsACandidateOnce(t *testing.T) {
	seen := map[netip.Prefix]bool{}
	for subnet := range candidates("a run") {
		if seen[subnet] {
			t.Fatalf("%s comes twice", subnet)
		}
		if !overlapsAny(subnet, pools) {
			t.Fatalf("%s is of no pool", subnet)
		}
		seen[subnet] = true
	}
	if len(seen) != 256*len(pools) {
		t.Errorf("%d candidates", len(seen))
	}
}

func TestTheUpperHalfIsForNodes(t *testing.T) {
	for subnet, want := range map[string]string{
		"10.90.7.0/24": "10.90.7.128", "10.0.0.0/8": "10.128.0.0", "10.1.2.16/28": "10.1.2.24", "10.0.0.0/16": "10.0.128.0",
	} {
		if got := upperHalf(netip.MustParsePrefix(subnet)); got.String() != want {
			t.Errorf("%s: got %s, want %s", subnet, got, want)
		}
	}
}

// The streams are what a daemon answered to builds of small Dockerfiles.
func TestABuildsProgressIsReadAsLines(t *testing.T) {
	streams, err := filepath.Glob("testdata/build/*.ndjson")
	if err != nil || len(streams) == 0 {
		t.Fatal(streams, err)
	}
	for _, file := range streams {
		t.Run(filepath.Base(file), func(t *testing.T) {
			stream, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			var lines []string
			if err := readBuild(stream, func(l runtime.Progress) { lines = append(lines, l.Text) }); err != nil {
				lines = append(lines, "error: "+err.Error())
			}
			compare(t, strings.TrimSuffix(file, ".ndjson")+".golden", strings.Join(lines, "\n")+"\n")
		})
	}
}

func compare(t *testing.T, golden, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", golden, diff)
	}
}

func FuzzBuildProgress(f *testing.F) {
	f.Add([]byte("\x0a\x03\x0a\x01a\x1a\x06\x0a\x01a\x22\x01b"))
	f.Fuzz(func(t *testing.T, message []byte) {
		var steps trace
		for range 2 {
			lines, err := steps.decode(message)
			if err != nil && len(message) == 0 {
				t.Errorf("an empty message: %v, %v", lines, err)
			}
		}
	})
}

func TestTheContextOfTheDockerCommandIsFollowed(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, value any) {
		t.Helper()
		data, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// The hash of "colima".
	const id = "f24fd3749c1368328e2b149bec149cb6795619f244c5b584e844961215dadd16"
	write("contexts/meta/"+id+"/meta.json", map[string]any{
		"Name": "colima", "Endpoints": map[string]any{"docker": map[string]any{"Host": "unix:///colima.sock"}},
	})
	host := func(env map[string]string) string {
		env["DOCKER_CONFIG"] = dir
		host, err := hostFromContext(func(name string) string { return env[name] })
		if err != nil {
			return "error: " + err.Error()
		}
		return host
	}
	for _, test := range []struct {
		name    string
		current string
		env     map[string]string
		want    string
	}{
		{"none", "", map[string]string{}, ""},
		{"current", "colima", map[string]string{}, "unix:///colima.sock"},
		{"by variable", "", map[string]string{"DOCKER_CONTEXT": "colima"}, "unix:///colima.sock"},
		{"DOCKER_HOST wins", "colima", map[string]string{"DOCKER_HOST": "tcp://x"}, ""},
		{"the default has no file", "default", map[string]string{}, ""},
	} {
		write("config.json", map[string]any{"currentContext": test.current})
		if got := host(test.env); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
	if got := host(map[string]string{"DOCKER_CONTEXT": "gone"}); !strings.HasPrefix(got, "error: docker context gone: ") {
		t.Errorf("a context that is not there: %q", got)
	}
}

func TestALockIsHeldByOneAndWaitedForWithAContext(t *testing.T) {
	var locks keyedLocks
	unlock, err := locks.lock(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if other, err := locks.lock(t.Context(), "b"); err != nil {
		t.Fatal(err)
	} else {
		other()
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := locks.lock(ended, "a"); err == nil {
		t.Error("a held lock was given")
	}
	got := make(chan struct{})
	go func() {
		defer close(got)
		if unlock, err := locks.lock(context.Background(), "a"); err == nil {
			unlock()
		}
	}()
	unlock()
	<-got
}

func TestTheHashIsThatOfWhatTheBuildSees(t *testing.T) {
	write := func(dir, name, content string) {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	packed := func(dir string) string {
		t.Helper()
		in, err := readContext(runtime.BuildSpec{Context: dir, Dockerfile: "docker/Dockerfile"})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := in.pack(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	fill := func() string {
		dir := t.TempDir()
		write(dir, "docker/Dockerfile", "FROM scratch\n")
		write(dir, ".dockerignore", "docker\nlogs/*\n!logs/keep\n")
		write(dir, "a", "a")
		write(dir, "logs/keep", "kept")
		return dir
	}
	first, second := fill(), fill()
	if packed(first) != packed(second) {
		t.Error("the same content in two places differs")
	}
	before := packed(first)
	write(first, "logs/ignored", "new")
	if packed(first) != before {
		t.Error("an ignored file changes it")
	}
	for _, name := range []string{"a", "logs/keep", "docker/Dockerfile"} {
		write(second, name, "changed")
		if after := packed(second); after == before {
			t.Errorf("%s does not change it", name)
		}
	}
	if _, err := readContext(runtime.BuildSpec{Context: first, Dockerfile: "../Dockerfile"}); err == nil {
		t.Error("a Dockerfile outside of the context is taken")
	}
	if _, err := readContext(runtime.BuildSpec{Context: first}); err == nil {
		t.Error("no Dockerfile, and no error")
	}
}

func TestFilesArePackedWithoutTheirDirectories(t *testing.T) {
	packed, err := tarOf(map[string]runtime.NewFile{"/etc/b": {Content: []byte("#!/bin/sh\n")}, "/a": {}, "/c": {Executable: true}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for r := tar.NewReader(packed); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s %o", h.Name, h.Mode))
	}
	if want := []string{"a 644", "c 755", "etc/b 755"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
