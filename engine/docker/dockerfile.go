package docker

import (
	"os"
	"regexp"
	"slices"
	"strings"
)

var (
	continued = regexp.MustCompile(`\\[ \t]*\r?\n`)
	comment   = regexp.MustCompile(`(?m)^[ \t]*#.*\n?`)
	copyFrom  = regexp.MustCompile(`(?i)^(?:COPY|ADD)\s.*--from=(\S+)`)
)

// baseImages lists the images that a Dockerfile builds on, by FROM and by
// COPY --from, with the arguments put in. Stages of its own and scratch are
// none. It only finds what must be looked at to tell whether an image is
// current; the builder itself reads the file properly.
func baseImages(dockerfile string, args map[string]string) []string {
	text := continued.ReplaceAllString(comment.ReplaceAllString(dockerfile, ""), " ")
	values := map[string]string{}
	stages := map[string]bool{"scratch": true}
	var images []string
	add := func(ref string) {
		if ref != "" && !stages[strings.ToLower(ref)] && !slices.Contains(images, ref) {
			images = append(images, ref)
		}
	}
	global := true // before the first FROM, where arguments count for FROM
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		switch strings.ToUpper(words[0]) {
		case "ARG":
			if global {
				declare(values, words[1:], args)
			}
		case "FROM":
			global = false
			words = slices.DeleteFunc(words[1:], func(w string) bool { return strings.HasPrefix(w, "--") })
			if len(words) == 0 {
				continue
			}
			add(expand(words[0], values))
			if len(words) == 3 && strings.EqualFold(words[1], "AS") {
				stages[strings.ToLower(words[2])] = true
			}
		default:
			m := copyFrom.FindStringSubmatch(strings.TrimSpace(line))
			if m != nil && strings.Trim(m[1], "0123456789") != "" { // a number is a stage
				add(m[1])
			}
		}
	}
	return images
}

// declare notes the values of an ARG line; what the build is given wins.
func declare(values map[string]string, declared []string, args map[string]string) {
	for _, d := range declared {
		name, preset, _ := strings.Cut(d, "=")
		values[name] = expand(strings.Trim(preset, `"'`), values)
		if given, ok := args[name]; ok {
			values[name] = given
		}
	}
}

// expand puts variables in: $NAME, ${NAME}, ${NAME:-default}, ${NAME:+other}.
func expand(text string, values map[string]string) string {
	return os.Expand(text, func(name string) string {
		if n, preset, ok := strings.Cut(name, ":-"); ok {
			if values[n] == "" {
				return expand(preset, values)
			}
			return values[n]
		}
		if n, other, ok := strings.Cut(name, ":+"); ok {
			if values[n] == "" {
				return ""
			}
			return expand(other, values)
		}
		return values[name]
	})
}
