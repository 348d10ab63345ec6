package diag

import (
	"strings"
	"unicode/utf8"
)

// What is quoted from input can be as long as that is. A message shows so many
// characters of each piece: its beginning, and the end, where names often differ.
const (
	longestPiece = 80
	pieceHead    = 56
	pieceTail    = 20
)

// oneLine writes line ends as strings have them: what is read line by line, and
// a name with one in it, must not look like two messages.
func oneLine(text string) string {
	return strings.NewReplacer("\n", `\n`, "\r", `\r`).Replace(text)
}

// brief cuts long pieces of a message: what stands in quotes, and words.
func brief(message string) string {
	if len(message) <= longestPiece {
		return message
	}
	var b strings.Builder
	for rest := message; rest != ""; {
		n := pieceEnd(rest)
		b.WriteString(cut(rest[:n]))
		rest = rest[n:]
	}
	return b.String()
}

// pieceEnd is the end of the piece that a text begins with: a quotation, a word
// or the space before one.
func pieceEnd(s string) int {
	if s[0] == '"' {
		if n := quotationEnd(s); n > 0 {
			return n
		}
	}
	if s[0] == ' ' || s[0] == '\n' {
		return 1
	}
	if n := strings.IndexAny(s[1:], "\" \n"); n >= 0 {
		return 1 + n
	}
	return len(s)
}

// quotationEnd is the end of the quotation that a text begins with, 0 if its
// quote is never closed.
func quotationEnd(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}

func cut(piece string) string {
	if len(piece) <= longestPiece || utf8.RuneCountInString(piece) <= longestPiece {
		return piece
	}
	runes := []rune(piece)
	return string(runes[:pieceHead]) + "…" + string(runes[len(runes)-pieceTail:])
}
