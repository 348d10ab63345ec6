// Package procfs is what an agent does among the processes of a node: it looks
// at them, signals them, and lets those that it stopped go on when its lease
// ends. It is part of the agent so that no node needs a tool for it.
package procfs
