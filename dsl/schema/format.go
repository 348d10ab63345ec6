package schema

import "github.com/zclconf/go-cty/cty"

// Format is a way to write a string or a number that has a name of its own. It
// is both what a reference shows in place of "string" and what values are held
// against, so that the two can't differ.
type Format string

// The formats.
const (
	NoFormat         Format = ""
	Duration         Format = "duration"
	PositiveDuration Format = "positive_duration"
	Regexp           Format = "regexp"
	Size             Format = "size"
	Signal           Format = "signal"
	NetworkName      Format = "network"
	ImageName        Format = "image"
	Port             Format = "port"
	Address          Format = "address"
	URL              Format = "url"
	Whole            Format = "whole"
	Count            Format = "count"
	Amount           Format = "amount"
	ExitCode         Format = "exit_code"
	Rate             Format = "rate"
	Percent          Format = "percent"
	Bitrate          Format = "bitrate"
	Command          Format = "command"
	// HostFile is a path that is made one to open before an action gets it.
	HostFile Format = "host_file"
)

// FormatInfo is what there is to say about a format.
type FormatInfo struct {
	Format  Format
	Doc     string // a sentence
	Example string // as a file writes it
	check   func(cty.Value) error
}

var formats = []FormatInfo{
	{Duration, "A length of time: numbers with a unit (ns, us, ms, s, m or h), one after the other. Not negative.", `"1m30s"`, CheckDuration},
	{PositiveDuration, "A duration of 1ms or more.", `"500ms"`, CheckPositiveDuration},
	{Regexp, "A regular expression in the syntax of RE2, found anywhere in the text unless `^` and `$` say otherwise.", `"^ready in [0-9]+ ms$"`, CheckRegexp},
	{Size, "An amount of bytes, as a number with k, m, g or t behind it, in powers of 1024. Mb, MiB and Mi are the same as m.", `"512m"`, CheckSize},
	{Signal, "The name of a signal, in full.", `"SIGTERM"`, CheckSignal},
	{NetworkName, "A network that the file declares.", `network.backend`, CheckNetwork},
	{ImageName, "An image that the file declares, or the reference of one as a string.", `image.app`, CheckImage},
	{Port, "The number of a TCP or UDP port, from 1 to 65535.", `8080`, CheckPort},
	{Address, "A host and a port, joined by a colon.", `"10.0.0.1:6379"`, CheckAddress},
	{URL, "An http or https URL with a host.", `"http://10.0.0.1:8000/healthz"`, CheckURL},
	{Whole, "A whole number that is not negative.", `0`, CheckWhole},
	{Count, "A whole number above 0.", `3`, CheckCount},
	{Amount, "A number that is not negative.", `0.5`, CheckAmount},
	{ExitCode, "What a process exits with: a whole number from 0 to 255.", `0`, CheckExitCode},
	{Percent, "A share in hundredths, above 0 and at most 100.", `20`, CheckPercent},
	{Bitrate, "A number of bits per second, as bit, kbit, mbit or gbit, in powers of 1000, from 1kbit to 10gbit.", `"1mbit"`, CheckBitrate},
	{Command, "A program and its arguments, as a list of strings; there is no shell unless it is one.", `["cat", "/etc/hostname"]`, CheckCommand},
	{HostFile, "A file of the machine that the scenario is run on, as a path relative to the file that says it. It must be there before anything is started, and not leave the scenario's directory.", `"app.conf"`, CheckHostFile},
	{Rate, "How many per second, from 0.001 to 100000.", `20`, CheckRate},
}

// Formats returns all formats.
func Formats() []FormatInfo { return append([]FormatInfo(nil), formats...) }

// Info returns what there is to say about a format; false for none, and for
// one that isn't there.
func (f Format) Info() (FormatInfo, bool) {
	for _, i := range formats {
		if i.Format == f {
			return i, true
		}
	}
	return FormatInfo{}, false
}

// Takes says whether a known value, of the type that the format is one of, is in
// it.
func (i FormatInfo) Takes(v cty.Value) bool { return i.check(v) == nil }

// Refuse reports what is wrong with a known, non-null value of the attribute's
// type: that of its format first, then its own Check.
func (a Attr) Refuse(v cty.Value) error {
	if info, ok := a.Format.Info(); ok {
		if err := info.check(v); err != nil {
			return err
		}
	}
	if a.Check != nil {
		return a.Check(v)
	}
	return nil
}
