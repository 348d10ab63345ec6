package ray

import (
	"testing"

	"github.com/scenario-run/scenario/dsl/schema"
)

func TestTheHeadIsTheOnlyHeadUnlessNamed(t *testing.T) {
	for _, d := range Definitions() {
		if node, has := d.Args.Attr("node"); d.Kind == schema.NodeKind || has && node.Required && node.Ref == schema.RefNode {
			continue // it acts on any node, and must be told which
		}
		a, ok := d.Args.Attr("head")
		if want := (schema.OnlyNode{Kind: "ray", Arg: "role", Value: "head"}); !ok || a.Required || a.OnlyNode != want {
			t.Errorf("%s: head is %+v", d.Name, a)
		}
	}
}

func TestOnlyARestartOfTheHeadEndsItsBeingDown(t *testing.T) {
	for _, d := range Definitions() {
		takes, ends := len(d.Takes) > 0, len(d.Ends) > 0
		if takes != (d.Name == "kill_gcs") || ends != (d.Name == "restart_head") {
			t.Errorf("%s: takes %v, ends %v", d.Name, d.Takes, d.Ends)
		}
	}
}
