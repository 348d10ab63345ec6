package main

import "io"

// watched keeps the first error of what is written through it: cobra's help
// doesn't say that it couldn't be printed.
type watched struct {
	to  io.Writer
	err error
}

func (o *watched) Write(text []byte) (int, error) {
	n, err := o.to.Write(text)
	if o.err == nil {
		o.err = err
	}
	return n, err
}
