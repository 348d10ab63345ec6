package process

import (
	"regexp"
	"testing"
)

func TestAProcessIsNamedByTheKernelsNameOrItsTitle(t *testing.T) {
	gcs := Process{Name: "gcs_server", Command: []string{"/opt/ray/gcs/gcs_server", "--session-name=s"}}
	replica := Process{Name: "ray::ServeRepli", Command: []string{"ray::ServeReplica:app:GetPID.handle", "", ""}}
	long := Process{Name: "a_name_of_more_", Command: []string{"/bin/a_name_of_more_than_15"}}
	for _, test := range []struct {
		name string
		p    Process
		want bool
	}{
		{"gcs_server", gcs, true},
		{"gcs", gcs, false},
		{"server", gcs, false},
		{"ray::ServeReplica", replica, true},
		{"ray::ServeReplica:app", replica, true},
		{"ray::ServeReplica:ap", replica, false},
		{"ray::ServeRep", replica, false},
		{"a_name_of_more_than_15", long, true},
		{"nginx", Process{Name: "x", Command: []string{"nginx: worker process"}}, true},
		{"sh", Process{Name: "sh"}, true},
		{"python3", Process{Name: "python3.11", Command: []string{"python3", "-c", "x"}}, true},
	} {
		if got := (Match{Name: test.name}).Matches(test.p); got != test.want {
			t.Errorf("%s and %v: %v", test.name, test.p.Command, got)
		}
	}
}

func TestACommandLineIsMatchedAsAWhole(t *testing.T) {
	p := Process{Name: "python3", Command: []string{"python3", "dashboard.py", "--port=1"}}
	for pattern, want := range map[string]bool{`dashboard\.py --port`: true, `^dashboard`: false} {
		if got := (Match{Command: regexp.MustCompile(pattern)}).Matches(p); got != want {
			t.Errorf("%s: %v", pattern, got)
		}
	}
}

func TestWhatIsExceptedIsNotMeant(t *testing.T) {
	m := Match{Command: regexp.MustCompile("^ray::"), Except: []string{"ray::DashboardAgent"}}
	for title, want := range map[string]bool{"ray::IDLE": true, "ray::DashboardAgent": false, "ray::DashboardAgent:x": false} {
		if got := m.Matches(Process{Name: "ray::", Command: []string{title}}); got != want {
			t.Errorf("%s: %v", title, got)
		}
	}
}

func TestWhatHasEndedIsNeverMeant(t *testing.T) {
	all := []Process{{Name: "a", State: "S"}, {Name: "a", State: Zombie}, {Name: "a", State: Dead}, {Name: "a", State: Stopped}}
	if got := (Match{Name: "a"}).Find(all); len(got) != 2 {
		t.Errorf("%v", got)
	}
}
