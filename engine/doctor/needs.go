package doctor

import (
	"fmt"
	"strings"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/link"
)

// needs says of each type that needs something of the kernel what it will use.
func (m Machine) needs(kernel link.Kernel) (found []Finding) {
	for _, t := range m.Types {
		if len(t.Needs) > 0 {
			found = append(found, needsOf(t, kernel))
		}
	}
	return found
}

func needsOf(t schema.Type, kernel link.Kernel) Finding {
	f := Finding{Check: t.Name, State: Good}
	var uses, missing []string
	for _, n := range t.Needs {
		all := abilities(n)
		best, err := kernel.Best(all)
		if err != nil {
			return Finding{t.Name, Limited, fmt.Sprintf("can't be injected: %v", err), kernel.Mend(all[0])}
		}
		uses = append(uses, string(best))
		if best == all[0] {
			continue
		}
		missing = append(missing, fmt.Sprintf("for want of %s (%s)", all[0], kernel[all[0]]))
		f.State, f.Mend = Limited, kernel.Mend(all[0])
	}
	f.Text = "by " + strings.Join(append(uses, missing...), ", ")
	return f
}

func abilities(n schema.Need) (all []link.Ability) {
	for _, name := range n {
		all = append(all, link.Ability(name))
	}
	return all
}
