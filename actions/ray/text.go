package ray

import (
	"encoding/json"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
)

func address(ip string, port int) string { return net.JoinHostPort(ip, strconv.Itoa(port)) }

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// jsonText writes what can always be written: maps, strings and numbers.
func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + one + "s"
}

func joinLines(lines []string) string { return strings.Join(lines, "\n") }
