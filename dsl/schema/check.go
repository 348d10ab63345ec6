package schema

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"net"
	"net/url"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"
)

// CheckDuration accepts strings of Go's duration syntax that are not negative,
// such as "1m30s".
func CheckDuration(v cty.Value) error {
	d, err := time.ParseDuration(v.AsString())
	switch {
	case err != nil && manyDurations.MatchString(v.AsString()):
		return fmt.Errorf("%q is too long; the longest duration is %dh", v.AsString(), int64(math.MaxInt64/time.Hour))
	case err != nil:
		return fmt.Errorf("%q is not a duration; write it as 500ms, 10s or 1m30s", v.AsString())
	}
	if d < 0 {
		return fmt.Errorf("a duration can't be negative")
	}
	return nil
}

// manyDurations is how durations are written, whatever they come to.
var manyDurations = regexp.MustCompile(`^[-+]?([0-9]+(\.[0-9]*)?(ns|us|µs|ms|s|m|h))+$`)

// leastDuration is as finely as anything is timed: to start a step, to ask a node
// and to see what a fault does takes longer.
const leastDuration = time.Millisecond

// CheckPositiveDuration is CheckDuration without zero, and without what is too
// short for anything to be done in.
func CheckPositiveDuration(v cty.Value) error {
	if err := CheckDuration(v); err != nil {
		return err
	}
	switch d, _ := time.ParseDuration(v.AsString()); {
	case d == 0:
		return errors.New("must be longer than 0s")
	case d < leastDuration:
		return fmt.Errorf("must be %s or longer; nothing is timed as finely as %s", leastDuration, v.AsString())
	}
	return nil
}

// CheckRegexp accepts strings of Go's regular expression syntax (RE2).
func CheckRegexp(v cty.Value) error {
	_, err := regexp.Compile(v.AsString())
	if e := (*syntax.Error)(nil); errors.As(err, &e) {
		return fmt.Errorf("%q is not a regular expression: %s in %q", v.AsString(), e.Code, e.Expr)
	}
	return err
}

// signals are the names that both Linux and Docker know. Real-time signals are
// left out: what a node does with them is not portable.
const signals = " ABRT ALRM BUS CHLD CONT FPE HUP ILL INT IO KILL PIPE PROF PWR QUIT SEGV STKFLT STOP SYS TERM TRAP TSTP TTIN TTOU URG USR1 USR2 VTALRM WINCH XCPU XFSZ "

// CheckSignal accepts the names of signals in full, such as "SIGKILL".
func CheckSignal(v cty.Value) error {
	name, ok := strings.CutPrefix(v.AsString(), "SIG")
	if ok && name != "" && strings.Contains(signals, " "+name+" ") {
		return nil
	}
	return fmt.Errorf("%q is not a signal; write it as SIGKILL, SIGTERM or SIGINT", v.AsString())
}

// CheckPort accepts the numbers of TCP and UDP ports.
func CheckPort(v cty.Value) error {
	n, accuracy := v.AsBigFloat().Int64()
	if accuracy != big.Exact || n < 1 || n > 65535 {
		return fmt.Errorf("must be a port between 1 and 65535")
	}
	return nil
}

// CheckAddress accepts host:port.
func CheckAddress(v cty.Value) error {
	host, port, err := net.SplitHostPort(v.AsString())
	if err != nil || host == "" {
		return fmt.Errorf("%q is not an address; write it as host:port", v.AsString())
	}
	return checkPortText(port)
}

// CheckWhole accepts whole numbers that are not negative.
func CheckWhole(v cty.Value) error {
	n, accuracy := v.AsBigFloat().Int64()
	if accuracy != big.Exact || n < 0 {
		return fmt.Errorf("must be a whole number that is not negative")
	}
	return nil
}

// CheckAmount accepts numbers that are not negative.
func CheckAmount(v cty.Value) error {
	if v.AsBigFloat().Sign() < 0 {
		return errors.New("must not be negative")
	}
	return nil
}

// mostExitCode is what a process can say at its end: one byte.
const mostExitCode = 255

// CheckExitCode accepts what a process can exit with.
func CheckExitCode(v cty.Value) error {
	if n, accuracy := v.AsBigFloat().Int64(); accuracy != big.Exact || n < 0 || n > mostExitCode {
		return fmt.Errorf("must be an exit code, from 0 to %d", mostExitCode)
	}
	return nil
}

// CheckCount accepts whole numbers from 1 on.
func CheckCount(v cty.Value) error {
	if n, accuracy := v.AsBigFloat().Int64(); accuracy != big.Exact || n < 1 {
		return fmt.Errorf("must be a whole number above 0")
	}
	return nil
}

// CheckHostFile accepts what can be a path. What is there is looked at where it
// is known which file says it.
func CheckHostFile(v cty.Value) error {
	if v.AsString() == "" {
		return errors.New("the path is empty")
	}
	return nil
}

// CheckRate accepts what can be sent per second.
func CheckRate(v cty.Value) error {
	if r, _ := v.AsBigFloat().Float64(); r < minRate || r > maxRate {
		return fmt.Errorf("must be between %g and %d per second", minRate, maxRate)
	}
	return nil
}

// The bounds of a rate: one request in about a quarter of an hour, and more
// than one machine can send.
const (
	minRate = 0.001
	maxRate = 100_000
)

// CheckPercent accepts a share that is not nothing.
func CheckPercent(v cty.Value) error {
	if p, _ := v.AsBigFloat().Float64(); p <= 0 || p > 100 {
		return errors.New("must be above 0 and at most 100")
	}
	return nil
}

// CheckURL accepts http and https URLs with a host.
func CheckURL(v cty.Value) error {
	u, err := url.Parse(v.AsString())
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("%q is not a URL; write it as http://host:port/path", v.AsString())
	}
	if port := u.Port(); port != "" || strings.HasSuffix(u.Host, ":") {
		return checkPortText(port)
	}
	return nil
}

func checkPortText(port string) error {
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return fmt.Errorf("%q is not a port between 1 and 65535", port)
	}
	return nil
}

// checkPorts is CheckPort for each of a list.
func checkPorts(v cty.Value) error {
	var all []error
	seen := map[string]bool{}
	for i, port := range v.AsValueSlice() {
		if err := unusedPort(port, seen); err != nil {
			all = append(all, ElementError(i, err))
		}
	}
	return errors.Join(all...)
}

func unusedPort(port cty.Value, seen map[string]bool) error {
	if port.IsNull() {
		return nil // which is told of every list
	}
	if err := CheckPort(port); err != nil {
		return err
	}
	number := port.AsBigFloat().String()
	if seen[number] {
		return fmt.Errorf("port %s is published already", number)
	}
	seen[number] = true
	return nil
}

// checkPortPath accepts what ready's http and https take: a port of the node and a path.
func checkPortPath(v cty.Value) error {
	port, _, ok := strings.Cut(strings.TrimPrefix(v.AsString(), ":"), "/")
	n, err := strconv.Atoi(port)
	if !ok || !strings.HasPrefix(v.AsString(), ":") || err != nil || n < 1 || n > 65535 {
		return fmt.Errorf("%q is not a port and a path; write it as :8080/healthz", v.AsString())
	}
	return nil
}

// leastCPUs is a hundredth: the kernel counts in thousandths of a second out of
// a tenth. No machine has as many as the most.
const (
	leastCPUs = 0.01
	mostCPUs  = 4096
)

// CheckCPUs accepts how many CPUs a node can be given.
func CheckCPUs(v cty.Value) error {
	n, _ := v.AsBigFloat().Float64()
	switch {
	case n <= 0:
		return fmt.Errorf("must be above 0")
	case n < leastCPUs:
		return fmt.Errorf("must be %g or more: that is as little as the kernel metes out", leastCPUs)
	case n > mostCPUs:
		return fmt.Errorf("must be at most %d: no machine has more", mostCPUs)
	}
	return nil
}
