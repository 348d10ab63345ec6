//go:build linux

package umltest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

const (
	moduleDir = "modules"
	exitFile  = "exit"
)

// Main is what TestMain of a package calls that uses Run. As the first process
// of a system it makes that ready, runs the tests and turns it off; else it just
// runs them.
func Main(m *testing.M) {
	if os.Getpid() != 1 {
		os.Exit(m.Run())
	}
	code := 1
	if err := boot(); err != nil {
		fmt.Println("boot:", err)
	} else {
		code = m.Run()
	}
	if err := os.WriteFile("/"+exitFile, []byte(strconv.Itoa(code)), 0o644); err != nil {
		fmt.Println("leave the exit code:", err)
	}
	unix.Sync()
	fmt.Println("turn off:", unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF)) // returns only if it can't
}

// boot mounts what programs expect, and loads the modules.
func boot() error {
	err := errors.Join(
		unix.Mount("proc", "/proc", "proc", 0, ""),
		unix.Mount("sys", "/sys", "sysfs", 0, ""),
		unix.Mount("tmp", "/tmp", "tmpfs", 0, ""),
	)
	if err != nil {
		return err
	}
	files, err := filepath.Glob("/" + moduleDir + "/*")
	if err != nil {
		return err
	}
	for _, file := range files { // sorted
		if err := load(file); err != nil {
			return fmt.Errorf("load %s: %w", file, err)
		}
	}
	return nil
}

func load(file string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return unix.InitModule(content, "")
}
