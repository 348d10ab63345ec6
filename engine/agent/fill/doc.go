// Package fill takes the room on the volume that an agent has been given, with
// one file. That has no name: nobody who has the volume sees it, and its room is
// back the moment that the agent ends, in whatever way.
package fill
