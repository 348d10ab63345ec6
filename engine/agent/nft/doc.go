// Package nft changes and reads the kernel's tables of rules for packets, in the
// network namespace that it runs in.
//
// Tables are replaced as a whole, several in one transaction, and belong to the
// process that made them, where the kernel has that (Linux 5.12): with the
// process they go, however it ends. Who asks for rules, and what they mean, is
// none of its business.
package nft
