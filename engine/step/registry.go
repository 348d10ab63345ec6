package step

import "github.com/scenario-run/scenario/dsl/schema"

// Registry is what a run can name, and how each is carried out.
type Registry struct {
	vocabulary schema.Vocabulary
	actions    map[string]Definition // faults too
	probes     map[string]Definition
	workloads  map[string]Definition
	kinds      map[string]Definition
}

// NewRegistry makes a registry. Two definitions of one name panic, as in
// schema.NewVocabulary.
func NewRegistry(lists ...[]Definition) *Registry {
	r := &Registry{
		actions:   map[string]Definition{},
		probes:    map[string]Definition{},
		workloads: map[string]Definition{},
		kinds:     map[string]Definition{},
	}
	var types []schema.Type
	for _, list := range lists {
		for _, d := range list {
			types = append(types, d.Type)
			r.of(d.Kind)[d.Name] = d
		}
	}
	r.vocabulary = schema.NewVocabulary(types...)
	return r
}

func (r *Registry) of(k schema.Kind) map[string]Definition {
	switch k {
	case schema.Probe:
		return r.probes
	case schema.Workload:
		return r.workloads
	case schema.NodeKind:
		return r.kinds
	default:
		return r.actions
	}
}

// Vocabulary returns the types alone.
func (r *Registry) Vocabulary() schema.Vocabulary { return r.vocabulary }

// Lookup returns a definition; Action finds faults as well.
func (r *Registry) Lookup(k schema.Kind, name string) (Definition, bool) {
	d, ok := r.of(k)[name]
	return d, ok
}
