package main

import (
	"os"
	"testing"
)

func TestTheLoadOfTheMachineIsReadWhereItIsKept(t *testing.T) {
	_, err := os.Stat("/proc/loadavg")
	load, cpus, ok := machineLoad()
	if ok != (err == nil) || load < 0 || ok && cpus < 1 {
		t.Errorf("%v on %d, %v", load, cpus, ok)
	}
}
