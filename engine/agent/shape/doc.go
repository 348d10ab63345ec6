// Package shape delays and limits what leaves the network namespace that it
// runs in, by the kernel's queueing disciplines.
//
// On each device an htb has one class for each peer, below it netem where there
// is a delay. Which class a packet belongs to is said by rules in an nftables
// table of our own, which is replaced as a whole by one transaction: so what is
// on its way to other peers stays where it is when one of them changes, and
// what no rule names, ARP included, passes by.
package shape
