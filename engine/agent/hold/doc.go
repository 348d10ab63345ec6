// Package hold delays what arrives in the network namespace that it runs in,
// where the kernel has no netem: the kernel hands each packet to this process
// (NFQUEUE), which lets it go on when its time has come.
//
// Packets are held where they arrive and not where they leave, since the kernel
// lets a connection have only so many bytes on their way out of a node. Only
// their numbers come here; what is in them stays with the kernel. Should this
// process die, the kernel lets everything pass.
package hold
