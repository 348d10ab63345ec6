package schema

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// The checks of this file are of what a node asks of the machine that it runs
// on. What they refuse, the machine would refuse too, when everything else has
// been made.

var (
	hostSyntax = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$`)
	userSyntax = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]*\$?(:[A-Za-z0-9_][A-Za-z0-9_.-]*)?$`)
	// imageSyntax is the grammar of github.com/distribution/reference: a domain,
	// a path, a tag and a digest.
	imageSyntax = regexp.MustCompile(`^([a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?(:[0-9]+)?/)?` +
		`[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*` +
		`(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@[A-Za-z][A-Za-z0-9]*:[0-9a-fA-F]{32,})?$`)
)

// maxHostname is what the kernel takes.
const maxHostname = 64

func checkHostname(v cty.Value) error { return hostname(v.AsString()) }

func hostname(name string) error {
	switch {
	case !hostSyntax.MatchString(name):
		return fmt.Errorf("%q is not a host name; it is made of letters, digits and hyphens", name)
	case len(name) > maxHostname:
		return fmt.Errorf("a host name has at most %d characters, this one has %d", maxHostname, len(name))
	}
	return nil
}

func checkHostnames(v cty.Value) error {
	var all []error
	for i, el := range v.AsValueSlice() {
		if el.IsNull() {
			continue
		}
		if err := hostname(el.AsString()); err != nil {
			all = append(all, ElementError(i, err))
		}
	}
	return errors.Join(all...)
}

// networkSyntax is what a reference to a network comes to.
var networkSyntax = regexp.MustCompile(`^network\.[a-z][a-z0-9_]*$`)

// CheckNetwork accepts references to networks.
func CheckNetwork(v cty.Value) error {
	if !networkSyntax.MatchString(v.AsString()) {
		return fmt.Errorf("%q is not a network; write it as network.NAME, and declare it with a network block", v.AsString())
	}
	return nil
}

// CheckUser accepts a user, and a group if it likes, by name or number.
func CheckUser(v cty.Value) error {
	if !userSyntax.MatchString(v.AsString()) {
		return fmt.Errorf("%q is not a user; write it as NAME, UID or UID:GID", v.AsString())
	}
	return nil
}

// CheckImage accepts references of images.
func CheckImage(v cty.Value) error {
	name := v.AsString()
	switch {
	case name == "":
		return errors.New("must not be empty")
	case imageSyntax.MatchString(name):
		return nil
	case imageSyntax.MatchString(strings.ToLower(name)):
		return fmt.Errorf("%q is not the reference of an image: its name is in lower case", name)
	}
	return fmt.Errorf("%q is not the reference of an image; write it as NAME, NAME:TAG or HOST/NAME:TAG", name)
}

// capabilities are those of Linux, without CAP_.
var capabilities = strings.Fields(`ALL AUDIT_CONTROL AUDIT_READ AUDIT_WRITE BLOCK_SUSPEND BPF CHECKPOINT_RESTORE CHOWN DAC_OVERRIDE
	DAC_READ_SEARCH FOWNER FSETID IPC_LOCK IPC_OWNER KILL LEASE LINUX_IMMUTABLE MAC_ADMIN MAC_OVERRIDE MKNOD NET_ADMIN NET_BIND_SERVICE
	NET_BROADCAST NET_RAW PERFMON SETFCAP SETGID SETPCAP SETUID SYSLOG SYS_ADMIN SYS_BOOT SYS_CHROOT SYS_MODULE SYS_NICE SYS_PACCT
	SYS_PTRACE SYS_RAWIO SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG WAKE_ALARM`)

func checkCapabilities(v cty.Value) error {
	var all []error
	for i, el := range v.AsValueSlice() {
		if el.IsNull() {
			continue
		}
		name := strings.TrimPrefix(strings.ToUpper(el.AsString()), "CAP_")
		if !slices.Contains(capabilities, name) {
			all = append(all, ElementError(i, fmt.Errorf("%q is not a capability of Linux; write it as NET_ADMIN", el.AsString()), capabilities...))
		}
	}
	return errors.Join(all...)
}

// leastMemory is what Docker gives a container at least. No machine has as much
// as the most.
const (
	leastMemory = 6 << 20
	mostMemory  = 1 << 50
)

// CheckMemory accepts sizes that a node can do with.
func CheckMemory(v cty.Value) error {
	n, err := ParseSize(v.AsString())
	if err != nil {
		return err
	}
	switch {
	case n < leastMemory:
		return fmt.Errorf("%s is too little; a node has at least 6m", v.AsString())
	case n > mostMemory:
		return fmt.Errorf("must be at most 1024t: no machine has %s", v.AsString())
	}
	return nil
}

// leastInMemory is a page: what a file system in memory is made of. To the
// kernel 0 is no limit at all.
const leastInMemory = 4 << 10

// CheckMemoryDisk accepts sizes of file systems in memory.
func CheckMemoryDisk(v cty.Value) error {
	n, err := ParseSize(v.AsString())
	if err == nil && n < leastInMemory {
		return fmt.Errorf("%q is too small; it has at least 4k", v.AsString())
	}
	return err
}

// CheckCommand accepts a program with its arguments.
func CheckCommand(v cty.Value) error {
	words := v.AsValueSlice()
	switch {
	case len(words) == 0:
		return errors.New(`must name a program; write it as ["PROGRAM", "ARGUMENT", …]`)
	case !words[0].IsNull() && words[0].AsString() == "":
		return ElementError(0, errors.New("the name of the program is empty"))
	}
	return nil
}

// kernelPaths are not on a node's disk: nothing can be put there.
var kernelPaths = []string{"/proc", "/sys", "/dev"}

// CheckNodePath says what is wrong with a path in a node.
func CheckNodePath(name string) error {
	if !path.IsAbs(name) {
		return fmt.Errorf("%q is not an absolute path in the node", name)
	}
	if clean := path.Clean(name); clean != name {
		return fmt.Errorf("%q is not a plain path; write %q", name, clean)
	}
	if name == "/" {
		return errors.New(`"/" is the whole of the node's disk; name a path below it`)
	}
	return nil
}
