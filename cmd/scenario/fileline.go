package main

import (
	"bytes"
	"os"
	"regexp"
	"strconv"
)

// filePlace is a file and, as editors and messages write it, a line in it.
var filePlace = regexp.MustCompile(`^(.+):([0-9]+)$`)

// withoutLines makes FILE:LINE the file whose scenario the line is in: since a
// file holds one scenario, any line that it has.
func withoutLines(paths []string) ([]string, error) {
	var all []string
	for _, p := range paths {
		m := filePlace.FindStringSubmatch(p)
		if m == nil || exists(p) || !exists(m[1]) {
			all = append(all, p)
			continue
		}
		if err := hasLine(m[1], m[2]); err != nil {
			return nil, err
		}
		all = append(all, m[1])
	}
	return all, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func hasLine(path, line string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return usage("%s:%s: only a file has lines", path, line)
	}
	src, err := os.ReadFile(path)
	if err != nil {
		return usage("%s: %v", path, err)
	}
	lines := bytes.Count(bytes.TrimSuffix(src, []byte("\n")), []byte("\n")) + 1
	if n, err := strconv.Atoi(line); err != nil || n < 1 || n > lines {
		return usage("%s:%s: the file has the lines 1 to %d", path, line, lines)
	}
	return nil
}
