// Package lookups lets look-ups of names fail in the network namespace that it
// runs in: it leads questions to a server of its own, which fails those that it
// was told to and passes the others on.
//
// It has an nftables table of its own, whose chain comes before those of others:
// Docker's redirect of its resolver stays as it is, and is what questions meet
// that are passed on.
package lookups
