package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/scenario-run/scenario/dsl/diag"
)

// titled is a variant as the timeline calls it: load[size=small].
var titled = regexp.MustCompile(`^[a-z0-9_]+\[(.+)\]$`)

// checkVariants refuses values of --variant that no variant can have.
func checkVariants(wanted []string) error {
	for _, w := range wanted {
		if m := titled.FindStringSubmatch(w); m != nil {
			return usage("--variant %s: it has the form AXIS=VALUE", shellQuote(w)).
				with("Without the scenario's name: --variant " + shellQuote(m[1]))
		}
		if axis, value, ok := strings.Cut(w, "="); !ok || axis == "" || value == "" {
			return usage("--variant %s: it has the form AXIS=VALUE", shellQuote(w))
		}
	}
	return nil
}

// matches says that a variant has a value of each axis that is asked for.
func matches(key string, wanted []string) bool {
	ok := map[string]bool{}
	for _, w := range wanted {
		axis, _, _ := strings.Cut(w, "=")
		ok[axis] = ok[axis] || strings.Contains(","+key+",", ","+w+",")
	}
	for _, hit := range ok {
		if !hit {
			return false
		}
	}
	return true
}

// noVariant says why no variant is one of those wanted; keys are all that there
// are, empty that of a scenario without a matrix.
func noVariant(wanted, keys []string) error {
	var flags []string
	for _, w := range wanted {
		flags = append(flags, "--variant "+shellQuote(w))
	}
	e := &exitError{code: exitNothing, err: fmt.Errorf("no variant matches %s", strings.Join(flags, " "))}
	there := axesOf(keys)
	if len(there) == 0 {
		return e.with("There are no variants, since there is no matrix.")
	}
	for _, w := range wanted {
		axis, value, _ := strings.Cut(w, "=")
		if why := there.without(axis, value); why != "" {
			return e.with(why)
		}
	}
	return e.with("There are: " + strings.Join(show(keys), ", "))
}

// axis is an axis of a matrix with the values that variants have of it.
type axis struct {
	name   string
	values []string
}

type axes []axis

func axesOf(keys []string) axes {
	var all axes
	for _, key := range keys {
		for pair := range strings.SplitSeq(key, ",") {
			name, value, ok := strings.Cut(pair, "=")
			if !ok {
				continue
			}
			i := slices.IndexFunc(all, func(a axis) bool { return a.name == name })
			if i < 0 {
				i, all = len(all), append(all, axis{name: name})
			}
			if !slices.Contains(all[i].values, value) {
				all[i].values = append(all[i].values, value)
			}
		}
	}
	return all
}

// without says what keeps an axis from having a value; empty if nothing does.
func (all axes) without(name, value string) string {
	var names []string
	for _, a := range all {
		names = append(names, a.name)
		// The values of several axes may stand in one flag.
		if a.name == name && !strings.Contains(value, ",") && !slices.Contains(a.values, value) {
			return "The axis " + name + " has " + amongst(value, a.values)
		}
	}
	if !slices.Contains(names, name) {
		return "There is no axis " + name + ", but " + amongst(name, names)
	}
	return ""
}

// amongst lists what there is, with what was most likely meant.
func amongst(meant string, there []string) string {
	list := strings.Join(show(there), ", ") + "."
	if near := diag.Suggest(meant, there); near != "" && len(there) > 1 {
		return fmt.Sprintf("%s Did you mean %q?", list, near)
	}
	return list
}

// show is a list of variants for people.
func show(keys []string) []string {
	var out []string
	for _, k := range keys {
		if k == "" {
			k = "(one without a matrix)"
		}
		if !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	const most = 12
	if len(out) > most {
		out = append(out[:most], fmt.Sprintf("and %d more", len(out)-most))
	}
	return out
}
