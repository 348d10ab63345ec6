package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/syntax"
)

// maxSize is the size from which on a file isn't something that a person
// wrote.
const maxSize = 8 << 20

// File is a file that was read.
type File struct {
	Name string // as ranges and messages have it
	Path string // what was opened
	Dir  string // where the paths in it start
	Src  []byte
	Body *hclsyntax.Body // nil if it isn't even text
	// Broken are the blocks whose content can't be parsed: they are in Body
	// without it.
	Broken map[*hclsyntax.Block]bool
	// Lost says that there may be more in the file than there is in Body.
	Lost bool
	// Other is the format that it is in, if it isn't HCL at all.
	Other string
}

// start is the range that stands for a file as a whole.
func start(name string) hcl.Range {
	return hcl.Range{Filename: name, Start: hcl.InitialPos, End: hcl.InitialPos}
}

// Read reads and parses one file by itself, without what it includes; in is what
// the path "-" is read from. The file is there in spite of errors, with what
// could be read of it.
func Read(path string, in io.Reader) (*File, hcl.Diagnostics) {
	f := &File{Name: filepath.ToSlash(path), Path: path, Dir: filepath.Dir(path)}
	if path != Stdin {
		return f, f.read(nil, start(f.Name))
	}
	f.Name, f.Dir = stdinName, "."
	return f, f.read(in, start(f.Name))
}

// read reads and parses the file. What is wrong with it as a whole is reported
// at the place given, which is the file's start or the include that names it.
func (f *File) read(in io.Reader, at hcl.Range) hcl.Diagnostics {
	if in == nil {
		opened, err := os.Open(f.Path)
		if err != nil {
			return unreadable(f.Name, err, at)
		}
		defer opened.Close()
		in = opened
	}
	src, err := io.ReadAll(io.LimitReader(in, maxSize+1))
	if err != nil {
		return unreadable(f.Name, err, at)
	}
	if len(src) > maxSize {
		return hcl.Diagnostics{diag.New(diag.TooLarge, at, fmt.Sprintf("%s is larger than 8 MiB", f.Name),
			"A scenario is text written by a person. Keep data in files of its own and read them with file().")}
	}
	f.Src = src
	if d := notUTF8(f.Name, src); d != nil {
		return hcl.Diagnostics{d}
	}
	if len(bytes.TrimSpace(bytes.TrimPrefix(src, []byte("\ufeff")))) == 0 {
		f.Body = &hclsyntax.Body{SrcRange: start(f.Name), EndRange: start(f.Name)}
		return hcl.Diagnostics{diag.New(diag.EmptyFile, at, fmt.Sprintf("%s is empty", f.Name), "")}
	}
	parsed, diags := syntax.Parse(src, f.Name)
	f.Body, f.Broken, f.Lost, f.Other = parsed.Body, parsed.Broken, parsed.Lost, parsed.Other
	return worded(f, diags)
}

func unreadable(name string, err error, at hcl.Range) hcl.Diagnostics {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	if errors.Is(err, syscall.EISDIR) {
		return hcl.Diagnostics{diag.New(diag.IsDirectory, at, fmt.Sprintf("%s is a directory", name), "A file is wanted here.")}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return hcl.Diagnostics{diag.New(diag.Unreadable, at, fmt.Sprintf("there is no file %s", name), "")}
	}
	return hcl.Diagnostics{diag.New(diag.Unreadable, at, fmt.Sprintf("%s can't be read: %v", name, err), "")}
}

// pipe reports a pipe that is to be read though nobody who runs the scenario has
// named it.
func pipe(name string, at hcl.Range) *hcl.Diagnostic {
	return diag.New(diag.Unreadable, at, name+" is a pipe", "Reading it might never end.")
}

// notUTF8 returns a diagnostic at the first byte that isn't UTF-8.
func notUTF8(name string, src []byte) *hcl.Diagnostic {
	if utf8.Valid(src) {
		return nil
	}
	detail := "Save it as UTF-8."
	if bytes.HasPrefix(src, []byte{0xff, 0xfe}) || bytes.HasPrefix(src, []byte{0xfe, 0xff}) {
		detail = "It looks like UTF-16. Save it as UTF-8."
	}
	i := 0
	for {
		r, n := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		i += n
	}
	begin := bytes.LastIndexByte(src[:i], '\n') + 1
	from := hcl.Pos{
		Line:   bytes.Count(src[:i], []byte("\n")) + 1,
		Column: utf8.RuneCount(src[begin:i]) + 1,
		Byte:   i,
	}
	to := hcl.Pos{Line: from.Line, Column: from.Column + 1, Byte: i + 1}
	return diag.New(diag.NotUTF8, hcl.Range{Filename: name, Start: from, End: to},
		fmt.Sprintf("not UTF-8: byte 0x%02x at offset %d", src[i], i), detail)
}

// worded gives hcl's own diagnostics our form.
func worded(f *File, diags hcl.Diagnostics) hcl.Diagnostics {
	all := make(hcl.Diagnostics, 0, len(diags))
	for _, d := range diags {
		if d.Summary == syntax.Redefined && d.Subject != nil {
			all = append(all, redefined(f, *d.Subject))
			continue
		}
		if d.Summary == "Invalid string literal" && strings.HasPrefix(d.Detail, "Template sequences") {
			all = append(all, diag.New(diag.Syntax, *d.Subject, "a label holds no expression", "Names are known before anything is evaluated. count and for_each make several of one block."))
			continue
		}
		if better := meant(f, d); better != nil {
			all = append(all, better)
			continue
		}
		all = append(all, diag.Adopt(diag.Syntax, start(f.Name), hcl.Diagnostics{d})...)
	}
	return all
}

// redefined is what hcl calls "Attribute redefined", with both places.
func redefined(f *File, second hcl.Range) *hcl.Diagnostic {
	name := string(second.SliceBytes(f.Src))
	var options []diag.Option
	if f.Body != nil {
		if a := firstOf(f.Body, name, second.Start.Byte); a != nil {
			options = append(options, diag.Also(a.NameRange, "first given here"))
		}
	}
	return diag.New(diag.DeclaredTwice, second, fmt.Sprintf("argument %q is given twice", name), "", options...)
}

// firstOf returns the attribute of that name in the innermost body around the
// offset.
func firstOf(body *hclsyntax.Body, name string, offset int) *hclsyntax.Attribute {
	for _, b := range body.Blocks {
		if offset > b.OpenBraceRange.Start.Byte && offset < b.CloseBraceRange.End.Byte {
			return firstOf(b.Body, name, offset)
		}
	}
	return body.Attributes[name]
}
