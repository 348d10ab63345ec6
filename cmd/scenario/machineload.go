package main

import (
	"os"
	"runtime"
	"strconv"
	"strings"
)

// machineLoad is the load of this machine, averaged over the last minute
// (proc(5), /proc/loadavg); of other systems than Linux it isn't known.
func machineLoad() (load float64, cpus int, ok bool) {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0, 0, false
	}
	first, _, _ := strings.Cut(string(text), " ")
	load, err = strconv.ParseFloat(first, 64)
	return load, runtime.NumCPU(), err == nil
}
