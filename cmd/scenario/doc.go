// Command scenario runs failure scenarios for distributed systems on real
// containers.
//
// One file per command. What a command does is done by the packages below dsl
// and engine; here are flags, what they mean together, where output goes, and
// exit codes. Everything of the operating system is reached through a world,
// so that tests run the same program in a world of their own.
package main
