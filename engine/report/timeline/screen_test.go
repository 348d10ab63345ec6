package timeline

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// screen is as much of a terminal as the timeline uses: lines, colours (passed
// over), cursor up, erase below. It wraps what is wider than it.
type screen struct {
	width int
	rows  []string
	row   int
	soft  map[int]bool // rows that go on in the next one
}

// resize wraps what stands on the screen anew, as terminals do.
func (s *screen) resize(width int) {
	var text strings.Builder
	for i := range max(len(s.rows), s.row) { // the last ones may be empty, and not among the rows
		if i < len(s.rows) {
			text.WriteString(s.rows[i])
		}
		if !s.soft[i] && i < s.row {
			text.WriteByte('\n')
		}
	}
	s.width, s.rows, s.row, s.soft = width, nil, 0, nil
	if _, err := s.Write([]byte(text.String())); err != nil {
		panic(err)
	}
}

var control = regexp.MustCompile("^\x1b\\[([0-9;]*)([A-Za-z])")

func (s *screen) Write(p []byte) (int, error) {
	text := string(p)
	for text != "" {
		if m := control.FindStringSubmatch(text); m != nil {
			if err := s.control(m[1], m[2]); err != nil {
				return 0, err
			}
			text = text[len(m[0]):]
			continue
		}
		r := []rune(text)[0]
		text = text[len(string(r)):]
		switch r {
		case '\n':
			s.row++
		case '\r':
		case '\x1b':
			return 0, fmt.Errorf("an escape sequence that no terminal was asked for: %q", text[:min(10, len(text))])
		default:
			if width(s.line()+string(r)) > s.width {
				if s.soft == nil {
					s.soft = map[int]bool{}
				}
				s.soft[s.row] = true
				s.row++
			}
			s.set(s.line() + string(r))
		}
	}
	return len(p), nil
}

func (s *screen) control(args, final string) error {
	switch final {
	case "m":
	case "A":
		n, err := strconv.Atoi(args)
		if err != nil || n > s.row {
			return fmt.Errorf("cursor up %q from row %d", args, s.row)
		}
		s.row -= n
	case "J":
		s.rows = s.rows[:min(s.row, len(s.rows))]
		for i := range s.soft {
			if i >= s.row {
				delete(s.soft, i)
			}
		}
	default:
		return fmt.Errorf("control sequence %q", args+final)
	}
	return nil
}

func (s *screen) line() string {
	if s.row < len(s.rows) {
		return s.rows[s.row]
	}
	return ""
}

func (s *screen) set(line string) {
	for len(s.rows) <= s.row {
		s.rows = append(s.rows, "")
	}
	s.rows[s.row] = line
}

func (s *screen) String() string { return strings.Join(s.rows, "\n") + "\n" }
