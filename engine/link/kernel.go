package link

import (
	"errors"
	"fmt"
	"strings"
)

// Ability is something that a kernel may be able to do for an agent, nearly all of
// it to packets, by the name of the part of it that does it.
type Ability string

// The abilities.
const (
	NFTables Ability = "nftables" // tables of rules
	Rejects  Ability = "reject"   // rules that tell the sender
	Numgen   Ability = "numgen"   // rules that draw a number
	HTB      Ability = "htb"      // limits of rate, with filters per destination
	Netem    Ability = "netem"    // delays, on top of the same
	NFQueue  Ability = "nfqueue"  // packets are handed to a process, which says when they go on
	Owner    Ability = "owner"    // tables of rules go with the process that made them, however it ends
	PidFD    Ability = "pidfd"    // processes are held by a descriptor, which no other one can have
)

// Abilities are all there are, in the order in which they are told.
func Abilities() []Ability {
	return []Ability{NFTables, Rejects, Numgen, HTB, Netem, NFQueue, Owner, PidFD}
}

// CanJob is the job of an agent that tries out what its kernel can do. It must
// be asked of an agent in a network namespace of its own, and writes one line:
// a Kernel.
const CanJob = "can"

// Kernel is what a kernel can do: of each ability why it has not got it, and
// empty if it has.
type Kernel map[Ability]string

// Can says that the kernel has an ability. One that was never tried it has not.
func (k Kernel) Can(a Ability) bool {
	why, tried := k[a]
	return tried && why == ""
}

// Best is the first of several abilities, of which one is enough, that the
// kernel has. The error has the reason for each.
func (k Kernel) Best(of []Ability) (Ability, error) {
	var reasons []string
	for _, a := range of {
		if k.Can(a) {
			return a, nil
		}
		why := k[a]
		if why == "" {
			why = "it was not tried"
		}
		reasons = append(reasons, fmt.Sprintf("%s: %s", a, why))
	}
	return "", errors.New(strings.Join(reasons, "; "))
}

// Forbidden is why a kernel can't do what it may well have: agents are kept from
// it, as by a seccomp profile.
const Forbidden = "an agent may not use it"

// Mend says how an ability can be had that the kernel has not got.
func (k Kernel) Mend(a Ability) string {
	if k[a] == Forbidden {
		return "let containers use it: docker info has the seccomp profile and the security modules of the daemon, under Security Options"
	}
	module, known := modules()[a]
	if !known {
		return "run where the kernel is a newer one"
	}
	return fmt.Sprintf("on the machine of the nodes: modprobe %s (Debian, Ubuntu: of package linux-modules-extra-$(uname -r), if there is no such module)", module)
}

// modules are the kernel's modules of abilities.
func modules() map[Ability]string {
	return map[Ability]string{
		NFTables: "nf_tables", Rejects: "nft_reject_inet", Numgen: "nft_numgen",
		HTB: "sch_htb", Netem: "sch_netem", NFQueue: "nft_queue",
	}
}
