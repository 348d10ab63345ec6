package dag

import "slices"

// Deps returns what a node depends on, in an order that is always the same.
type Deps[K comparable] func(K) []K

// Order returns the nodes so that each comes after what it depends on, and
// otherwise as early as its place among the nodes given. Dependencies that are
// not among the nodes are passed over. If there is a cycle the order is nil and
// the cycle is returned as by Cycle.
func Order[K comparable](nodes []K, deps Deps[K]) (order, cycle []K) {
	if c := Cycle(nodes, deps); c != nil {
		return nil, c
	}
	given := make(map[K]bool, len(nodes))
	for _, n := range nodes {
		given[n] = true
	}
	done := make(map[K]bool, len(nodes))
	var visit func(K)
	visit = func(n K) {
		if done[n] || !given[n] {
			return
		}
		done[n] = true
		for _, d := range deps(n) {
			visit(d)
		}
		order = append(order, n)
	}
	for _, n := range nodes {
		visit(n)
	}
	return order, nil
}

// Cycle returns the first cycle that is found from the nodes in their order:
// each depends on the next, and the last is the first again. Nil means that
// there is none.
func Cycle[K comparable](nodes []K, deps Deps[K]) []K {
	const (
		open = iota + 1
		closed
	)
	state := make(map[K]int, len(nodes))
	var trail []K
	var visit func(K) []K
	visit = func(n K) []K {
		switch state[n] {
		case closed:
			return nil
		case open:
			return append(slices.Clone(trail[slices.Index(trail, n):]), n)
		}
		state[n] = open
		trail = append(trail, n)
		for _, d := range deps(n) {
			if c := visit(d); c != nil {
				return c
			}
		}
		trail = trail[:len(trail)-1]
		state[n] = closed
		return nil
	}
	for _, n := range nodes {
		if c := visit(n); c != nil {
			return c
		}
	}
	return nil
}

// Path returns a shortest way from one node to another along dependencies, both
// included, or nil if there is none. The way from a node to itself is the node
// alone.
func Path[K comparable](from, to K, deps Deps[K]) []K {
	came := map[K]K{from: from}
	for queue := []K{from}; len(queue) > 0; queue = queue[1:] {
		n := queue[0]
		if n == to {
			return walkBack(n, came)
		}
		for _, d := range deps(n) {
			if _, seen := came[d]; !seen {
				came[d] = n
				queue = append(queue, d)
			}
		}
	}
	return nil
}

func walkBack[K comparable](n K, came map[K]K) []K {
	path := []K{n}
	for came[n] != n {
		n = came[n]
		path = append(path, n)
	}
	slices.Reverse(path)
	return path
}
