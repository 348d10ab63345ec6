package lookup

import (
	"slices"
	"testing"
)

func TestAFailureCoversItsNamesAndWhatIsBelowThem(t *testing.T) {
	f := Failure{Names: []string{"Redis", "example.com."}, Answer: NXDomain}
	for name, want := range map[string]bool{
		"redis": true, "REDIS.": true, "redis.local": false, "a.redis": true, "myredis": false,
		"example.com": true, "www.example.com.": true, "example.org": false,
	} {
		if f.Covers(name) != want {
			t.Errorf("%s: %t", name, !want)
		}
	}
	if all := (Failure{Answer: Drop}); !all.Covers("anything") {
		t.Error("without names not every name is covered")
	}
}

func TestTheFirstFailureThatCoversANameCounts(t *testing.T) {
	in := []Failure{{[]string{"a"}, ServFail}, {nil, Drop}}
	for name, want := range map[string]Answer{"a": ServFail, "b": Drop} {
		if got := AnswerOf(name, in); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := AnswerOf("b", in[:1]); got != Resolved {
		t.Errorf("b: %s", got)
	}
}

func TestTheResolversAreThoseThatAreNamed(t *testing.T) {
	for text, want := range map[string][]string{
		"search x\n# nameserver 1.1.1.1\nnameserver 127.0.0.11\nnameserver\t8.8.8.8\noptions ndots:0\n": {"127.0.0.11:53", "8.8.8.8:53"},
		"nameserver fd00::1": {"[fd00::1]:53"},
		"search x\n":         nil,
	} {
		if got := Resolvers(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestANameMayStandInAHostsFile(t *testing.T) {
	const hosts = "127.0.0.1\tlocalhost\n172.18.0.2 Web web.local # redis\n# 1.2.3.4 db\n"
	for name, want := range map[string]bool{"web": true, "WEB.local.": true, "localhost": true, "redis": false, "db": false, "172.18.0.2": false} {
		if InHosts(hosts, name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}
