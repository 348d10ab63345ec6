// Package runtime says what the engine needs of a place where nodes live.
//
// Docker is the first such place. The types speak of nodes, addresses, exits
// and restarts, never of containers, bridges or API versions, so that another
// (a node is a pod) can stand in its place; what not every place can do is
// asked for with Info.Can. The package has no dependencies.
package runtime
