package lang

import (
	"sync"

	"github.com/zclconf/go-cty/cty/function"

	"github.com/scenario-run/scenario/dsl/funcs"
	"github.com/scenario-run/scenario/dsl/source"
)

// functions are the tables of functions, one for each file, since paths are
// relative to the file that says them.
type functions struct {
	set  *source.Set
	seed *int64

	mu     sync.Mutex
	tables map[*source.File]map[string]function.Function
}

func newFunctions(set *source.Set, seed *int64) *functions {
	return &functions{set: set, seed: seed, tables: map[*source.File]map[string]function.Function{}}
}

// template is templatefile for a file, which takes from what may still be done.
func (t *functions) template(f *source.File, take func(n int) bool, work funcs.WorkOf) function.Function {
	return funcs.TemplateFile(t.resolver(f), t.in(f), take, work)
}

func (t *functions) resolver(f *source.File) func(path string) (string, error) {
	return func(path string) (string, error) { return t.set.Resolve(f, path) }
}

func (t *functions) in(f *source.File) map[string]function.Function {
	t.mu.Lock()
	defer t.mu.Unlock()
	table, ok := t.tables[f]
	if !ok {
		table = funcs.Table(funcs.Env{
			Resolve: t.resolver(f),
			Seed:    t.seed,
		})
		t.tables[f] = table
	}
	return table
}
