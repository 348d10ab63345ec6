package lookup

import "testing"

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
