package http

import (
	"bytes"
	"errors"
	"mime"
	"slices"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// families reads metrics in Prometheus' text format, or in that of OpenMetrics
// where the answer's Content-Type says so: a server may have no other.
func families(contentType string, text []byte) (map[string]*dto.MetricFamily, error) {
	if kind, _, err := mime.ParseMediaType(contentType); err == nil && kind == expfmt.OpenMetricsType {
		var err error
		if text, err = plain(text); err != nil {
			return nil, err
		}
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(slices.Clip(text), '\n') // what came is whole: HTTP says where it ends
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	return parser.TextToMetricFamilies(bytes.NewReader(text))
}

// plain makes of OpenMetrics what the older format has of it: samples without
// their time and without the example behind it, and types that it knows. Reading
// it by its grammar takes many times as long, and nothing else of it is used.
func plain(text []byte) ([]byte, error) {
	if !bytes.HasSuffix(bytes.TrimRight(text, "\n"), []byte("# EOF")) {
		return nil, errors.New("the text does not end with # EOF, as OpenMetrics does")
	}
	out := make([]byte, 0, len(text))
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, "\n")
		switch {
		case bytes.HasPrefix(line, []byte("# TYPE ")) && !knownType(line):
			continue // its samples are then of no type, and count the same
		case len(line) > 0 && line[0] != '#':
			line = valueOnly(line)
		}
		out = append(append(out, line...), '\n')
	}
	return out, nil
}

// knownType says that the older format has the type that a line is about.
func knownType(line []byte) bool {
	kind := line[bytes.LastIndexByte(line, ' ')+1:]
	return slices.Contains([]string{"counter", "gauge", "histogram", "gaugehistogram", "summary"}, string(kind))
}

// valueOnly cuts off what stands behind a sample's value.
func valueOnly(line []byte) []byte {
	quoted, braces, words := false, false, 0
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			braces = true
		case c == '}':
			braces = false
		case c == ' ' && !braces:
			if words++; words == 2 {
				return line[:i]
			}
		}
	}
	return line
}
