// Command sleeper is all that there is in the image of the nodes of a daemon
// that has no other.
package main

import "time"

func main() { time.Sleep(time.Hour) }
