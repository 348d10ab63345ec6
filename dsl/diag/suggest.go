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
		if d > 0 && !comparable(name, c) {
			continue
		}
		if d < least {
			best, least = c, d
		}
	}
	if best != "" {
		return best
	}
	return abbreviated(name, candidates)
}

// comparable says that two names are long enough for one to be a slip of the
// other: a single letter is like no other, but may begin a name.
func comparable(name, candidate string) bool {
	return len(candidate) > 1 && (len(name) > 1 || strings.HasPrefix(plain(candidate), plain(name)))
}

// leastAbbreviation is the least length of a name that counts as short for
// another. What is shorter is short for too much.
const leastAbbreviation = 3

// mostLetters is the most letters that stand for a word, as in addr. In longer
// names they are there by chance: state is no started_at.
const mostLetters = 4

// abbreviated returns the candidate that name is short for, if there is only
// one: its beginning, such as desc, or its first letter and others of it in
// their order, such as cmd.
func abbreviated(name string, candidates []string) string {
	short := plain(name)
	if len(short) < leastAbbreviation {
		return ""
	}
	ways := []func(short, long string) bool{beginningOf}
	if len(short) <= mostLetters {
		ways = append(ways, lettersOf)
	}
	for _, isShortFor := range ways {
		found := ""
		for _, c := range candidates {
			if c == name || !isShortFor(short, plain(c)) {
				continue
			}
			if found != "" {
				found = ""
				break
			}
			found = c
		}
		if found != "" {
			return found
		}
	}
	return ""
}

func beginningOf(short, long string) bool { return strings.HasPrefix(long, short) }

func lettersOf(short, long string) bool {
	if long == "" || short[0] != long[0] {
		return false
	}
	for i := range len(short) {
		at := strings.IndexByte(long, short[i])
		if at < 0 {
			return false
		}
		long = long[at+1:]
	}
	return true
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
