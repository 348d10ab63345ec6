//go:build linux

package fill

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// spare is what must be left of the machine's memory.
const spare = 64 << 20

// hasMemory refuses to take what the machine doesn't have: a volume with a size
// is in memory, and the kernel would kill others for it.
func hasMemory(wanted int64) error {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return fmt.Errorf("find out how much memory there is: %w", err)
	}
	available, err := availableOf(string(text))
	if err != nil {
		return err
	}
	if wanted > available-spare {
		return fmt.Errorf("it is in memory, and of that the machine has %d MiB, not %d", available>>20, (wanted+spare)>>20)
	}
	return nil
}

// availableOf reads what a meminfo says can be had without swapping, in bytes.
func availableOf(meminfo string) (int64, error) {
	for line := range strings.Lines(meminfo) {
		name, rest, _ := strings.Cut(line, ":")
		if name != "MemAvailable" {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("/proc/meminfo has %q: %w", strings.TrimSpace(line), err)
		}
		return n << 10, nil
	}
	return 0, fmt.Errorf("/proc/meminfo has no MemAvailable")
}
