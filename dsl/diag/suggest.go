package diag

import (
	"strings"

	"github.com/agext/levenshtein"
)

// Suggest returns the candidate that name was most likely meant to be, or "".
// Of several that are equally near, the first counts.
func Suggest(name string, candidates []string) string {
	best, least := "", limit(name)+1
	for _, c := range candidates {
		if c == name {
			continue
		}
		d := distance(plain(name), plain(c))
		if d < least {
			best, least = c, d
		}
	}
	return best
}

// distance is how many letters differ. Two neighbours that have changed places
// count as one, since that is one slip of the fingers.
func distance(a, b string) int {
	d := levenshtein.Distance(a, b, nil)
	if d == 2 && swapped(a, b) {
		return 1
	}
	return d
}

func swapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	i := 0
	for a[i] == b[i] {
		i++
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

// limit is how many letters may be wrong in a name before another is no longer
// worth suggesting: about a third of it.
func limit(name string) int { return max(1, min(3, (len(name)+1)/3)) }

// plain makes names equal that differ only in how words are joined.
func plain(s string) string {
	return strings.ReplaceAll(strings.ToLower(s), "-", "_")
}
