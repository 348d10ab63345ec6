package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// canBeIn says before anything runs if what a flag names could not be written
// after it. No name asks for no file, and "-" for standard output.
func canBeIn(flag, file string) error {
	if file == "" || file == "-" {
		return nil
	}
	if filepath.Ext(file) == extension {
		return usage("%s %s: that would put a report in the place of a scenario", flag, file).
			with("What is to be written comes first, then the scenarios: " + flag + " FILE " + shellQuote(file))
	}
	dir := filepath.Dir(file)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return usage("%s %s: there is no directory %s", flag, file, dir)
	}
	switch info, err := os.Stat(file); {
	case err == nil && info.IsDir():
		return usage("%s %s: it is a directory", flag, file).with("Name a file in it.")
	case err == nil && !info.Mode().IsRegular():
		return usage("%s %s: it is no regular file", flag, file)
	}
	if err := tryToWrite(dir); err != nil {
		return usage("%s %s: nothing can be written to %s: %w", flag, file, dir, err)
	}
	return nil
}

// tryToWrite makes and removes a file.
func tryToWrite(dir string) error {
	probe, err := os.CreateTemp(dir, ".scenario-*")
	if err != nil {
		return rootCause(err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// rootCause is an error of the file system without the name of the file.
func rootCause(err error) error {
	var bad *fs.PathError
	if errors.As(err, &bad) {
		return bad.Err
	}
	return err
}
