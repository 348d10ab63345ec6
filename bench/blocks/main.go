// Command blocks measures validate and plan of large files against what hcl
// itself needs to parse the same file and to evaluate it once. It fails where
// either takes more than so many times the baseline's time or memory.
//
// Every figure is that of a process of its own. Those that are compared run in
// turn, so that what else the machine does hits all of them.
//
//	go run ./bench/blocks -scenario bin/scenario
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	binary := flag.String("scenario", "bin/scenario", "the program to measure")
	sizes := flag.String("sizes", "10000,100000", "numbers of blocks")
	rounds := flag.Int("rounds", 3, "measurements of each thing")
	limit := flag.Float64("limit", 2.5, "what is more than so many times the baseline is a failure")
	only := flag.String("baseline", "", "only do what is compared with, on a `FILE`; for the program itself")
	flag.Parse()
	if *only != "" {
		fail(baseline(*only))
		return
	}
	fail(measureAll(*binary, *sizes, *rounds, *limit))
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "blocks:", err)
		os.Exit(1)
	}
}

func measureAll(binary, sizes string, rounds int, limit float64) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "scenario-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	over := 0
	fmt.Printf("%8s %-6s  %18s  %30s  %30s\n", "blocks", "shape", "hcl", "validate", "plan")
	for _, size := range strings.Split(sizes, ",") {
		n, err := strconv.Atoi(size)
		if err != nil {
			return fmt.Errorf("-sizes: %w", err)
		}
		for _, s := range shapes() {
			path := filepath.Join(dir, s.name+size+".hcl")
			if err := os.WriteFile(path, s.file(n), 0o600); err != nil {
				return err
			}
			got, err := inTurn(rounds, []string{self, "-baseline", path}, []string{binary, "validate", path}, []string{binary, "plan", path})
			if err != nil {
				return err
			}
			fmt.Printf("%8d %-6s  %18s", n, s.name, got[0].median())
			for _, m := range got[1:] {
				fmt.Printf("  %18s %11s", m.median(), m.median().against(got[0].median()))
				over += m.median().over(got[0].median(), limit)
			}
			fmt.Println()
		}
	}
	if over > 0 {
		return fmt.Errorf("%d figures are more than %g times the baseline", over, limit)
	}
	return nil
}
