//go:build linux

package kernel

import (
	"testing"

	"github.com/scenario-run/scenario/engine/agent/umltest"
)

func TestMain(m *testing.M) { umltest.Main(m) }

func TestUnderAnotherKernel(t *testing.T) { umltest.Run(t, "TestWhatIsTriedIsTakenBack") }
