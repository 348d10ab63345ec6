// Package rules puts what is to happen to packets in force in the network
// namespace that it runs in, and tells what is in force there.
//
// All of it lies in one nftables table of its own, which is replaced as a
// whole by one transaction: other tables, Docker's redirect of DNS among them,
// are never touched, and there is no moment at which half of it holds.
package rules
