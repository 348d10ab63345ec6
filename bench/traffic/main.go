//go:build linux

// Command traffic measures what a workload costs: requests from an agent
// against a server on this machine, beside what vegeta needs for the same. It
// fails where more than so much was sent late, or where the agent needs more
// CPU than vegeta.
//
// Server, agent and vegeta are processes of their own, and what is compared
// runs in turn, so that what else the machine does hits both.
//
//	go run ./bench/traffic -scenario bin/scenario -vegeta bin/vegeta
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"time"
)

// options are what is measured, and what is too much.
type options struct {
	scenario, vegeta string
	rate             float64
	duration         time.Duration
	rounds           int
	late             float64 // per cent of the requests
	cpu              float64 // times vegeta's
}

func main() {
	var o options
	flag.StringVar(&o.scenario, "scenario", "bin/scenario", "the program to measure")
	flag.StringVar(&o.vegeta, "vegeta", "bin/vegeta", "the program to compare it with")
	flag.Float64Var(&o.rate, "rate", 5000, "requests per second")
	flag.DurationVar(&o.duration, "duration", 15*time.Second, "how long they are sent in each measurement")
	flag.IntVar(&o.rounds, "rounds", 1, "measurements of each thing")
	flag.Float64Var(&o.late, "late", 1, "more than so many per cent sent late is a failure")
	flag.Float64Var(&o.cpu, "limit", 1, "more than so many times vegeta's CPU is a failure")
	serving := flag.Bool("serve", false, "only be the server; for the program itself")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := error(nil)
	if *serving {
		err = serve(ctx)
	} else {
		err = measure(ctx, o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "traffic:", err)
		os.Exit(1)
	}
}

// measure prints a line for connections that are used again and one for those
// that are not.
func measure(ctx context.Context, o options) error {
	target, err := startServer(ctx)
	if err != nil {
		return err
	}
	defer target.stop()
	dir, err := os.MkdirTemp("", "scenario-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	fmt.Printf("%g requests/s for %s, CPU per request, medians of %d\n", o.rate, o.duration, o.rounds)
	fmt.Printf("%-11s  %8s %7s %7s  %8s %7s %7s %8s  %8s %8s  %7s\n", "connections", "vegeta", "late", "failed", "agent", "late", "failed", "p99 late", "ratio", "engine", "server")
	var bad []string
	for _, a := range []attack{{name: "kept", keepalive: true}, {name: "new"}} {
		a.url, a.rate, a.duration = target.url, o.rate, o.duration
		wrong, err := compare(ctx, o, a, target, dir)
		if err != nil {
			return err
		}
		bad = append(bad, wrong...)
	}
	if len(bad) > 0 {
		return fmt.Errorf("%s", bad)
	}
	return nil
}

// attack is traffic that both send.
type attack struct {
	name, url string
	rate      float64
	duration  time.Duration
	keepalive bool
}

// compare lets both send the same in turn, prints what they took, and returns
// what is too much.
func compare(ctx context.Context, o options, a attack, target *target, dir string) (wrong []string, err error) {
	var vegetas []theirs
	var ours []result
	for range o.rounds {
		t, err := runVegeta(ctx, o.vegeta, a, dir)
		if err != nil {
			return nil, err
		}
		vegetas = append(vegetas, t)
		before, err := target.cpu()
		if err != nil {
			return nil, err
		}
		r, err := runAgent(ctx, o.scenario, a, dir)
		if err != nil {
			return nil, err
		}
		after, err := target.cpu()
		if err != nil {
			return nil, err
		}
		r.server = after - before
		ours = append(ours, r)
	}
	of := func(what func(result) float64) float64 { return median(each(ours, what)) }
	per := func(what func(result) time.Duration) float64 {
		return of(func(r result) float64 { return micros(what(r)) / float64(r.sent) })
	}
	v := median(each(vegetas, func(t theirs) float64 { return micros(t.cpu) }))
	cpu := per(func(r result) time.Duration { return r.agent })
	late := of(func(r result) float64 { return percent(r.late, r.sent) })
	failed := of(func(r result) float64 { return float64(r.failed) })
	fmt.Printf("%-11s  %6.1fµs %6.2f%% %7.0f  %6.1fµs %6.2f%% %7.0f %6.2fms  %8.2f %6.1fµs %6.1fµs\n", a.name,
		v, median(each(vegetas, func(t theirs) float64 { return percent(t.late, t.sent) })), median(each(vegetas, func(t theirs) float64 { return float64(t.failed) })),
		cpu, late, failed, of(func(r result) float64 { return r.behind.Seconds() * 1000 }),
		cpu/v, per(func(r result) time.Duration { return r.engine }), per(func(r result) time.Duration { return r.server }))
	if late > o.late {
		wrong = append(wrong, fmt.Sprintf("%s connections: %.2f %% sent late;", a.name, late))
	}
	if cpu/v > o.cpu {
		wrong = append(wrong, fmt.Sprintf("%s connections: %.2f times the CPU of vegeta;", a.name, cpu/v))
	}
	if failed > 0 {
		wrong = append(wrong, fmt.Sprintf("%s connections: %.0f requests failed (%v in the last round);", a.name, failed, ours[len(ours)-1].classes))
	}
	return wrong, nil
}

func percent(part, whole int) float64 { return 100 * float64(part) / float64(whole) }

func each[T any](all []T, of func(T) float64) []float64 {
	list := make([]float64, len(all))
	for i, t := range all {
		list[i] = of(t)
	}
	return list
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}
