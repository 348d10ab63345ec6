// Package timeline draws a run while it happens: a coloured timeline on a
// terminal, plain lines anywhere else, and, when something went wrong, a block
// that explains it without another file having to be opened.
//
// What it prints is a function of the events, the size of the terminal and the
// nodes' log files; so a recorded run can be drawn again. It must not know the
// engine, the language or the runtime.
package timeline
