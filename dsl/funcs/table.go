package funcs

import (
	"slices"

	"github.com/hashicorp/hcl/v2/ext/tryfunc"
	ctyyaml "github.com/zclconf/go-cty-yaml"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// Env is what the functions of one file lean on.
type Env struct {
	// Resolve returns the path to open for one that the file says, or why it
	// may not be opened.
	Resolve func(path string) (string, error)
	// Seed decides what pick chooses. Nil: not known yet.
	Seed *int64
}

// impure are the functions whose result hangs on more than their arguments: on
// files, and on the seed.
var impure = []string{"file", "filebase64", "fileexists", "templatefile", "pick"}

// IsPure says that a function always makes the same of the same arguments.
func IsPure(name string) bool { return !slices.Contains(impure, name) }

// Table returns the functions by name.
func Table(env Env) map[string]function.Function {
	t := map[string]function.Function{
		// numbers
		"abs":      stdlib.AbsoluteFunc,
		"ceil":     stdlib.CeilFunc,
		"floor":    stdlib.FloorFunc,
		"int":      stdlib.IntFunc,
		"log":      stdlib.LogFunc,
		"max":      stdlib.MaxFunc,
		"min":      stdlib.MinFunc,
		"parseint": stdlib.ParseIntFunc,
		"pow":      stdlib.PowFunc,
		"signum":   stdlib.SignumFunc,
		"sum":      sumFunc,
		"seconds":  secondsFunc,

		// strings
		"chomp":        stdlib.ChompFunc,
		"endswith":     endsWithFunc,
		"format":       bounded(stdlib.FormatFunc, badFormat(stdlib.FormatFunc, tooWide)),
		"formatlist":   bounded(stdlib.FormatListFunc, badFormat(stdlib.FormatListFunc, tooWideEach)),
		"indent":       bounded(stdlib.IndentFunc, tooFar),
		"join":         bounded(stdlib.JoinFunc, tooLongTogether),
		"lower":        stdlib.LowerFunc,
		"regex":        bounded(stdlib.RegexFunc, tooComplex),
		"regexall":     bounded(stdlib.RegexAllFunc, tooManyMatches),
		"regexreplace": bounded(stdlib.RegexReplaceFunc, tooLongWithMatchesReplaced),
		"replace":      replaceFunc,
		"split":        bounded(stdlib.SplitFunc, tooManyParts),
		"startswith":   startsWithFunc,
		"strcontains":  strContainsFunc,
		"strlen":       stdlib.StrlenFunc,
		"strrev":       stdlib.ReverseFunc,
		"substr":       stdlib.SubstrFunc,
		"title":        stdlib.TitleFunc,
		"trim":         stdlib.TrimFunc,
		"trimprefix":   stdlib.TrimPrefixFunc,
		"trimspace":    stdlib.TrimSpaceFunc,
		"trimsuffix":   stdlib.TrimSuffixFunc,
		"upper":        stdlib.UpperFunc,

		// times, which are RFC 3339 strings
		"formatdate": stdlib.FormatDateFunc,
		"timeadd":    stdlib.TimeAddFunc,

		// collections
		"alltrue":         allTrueFunc,
		"anytrue":         anyTrueFunc,
		"chunklist":       stdlib.ChunklistFunc,
		"coalesce":        stdlib.CoalesceFunc,
		"coalescelist":    stdlib.CoalesceListFunc,
		"compact":         stdlib.CompactFunc,
		"concat":          bounded(stdlib.ConcatFunc, tooManyElements),
		"contains":        stdlib.ContainsFunc,
		"distinct":        distinctFunc,
		"element":         stdlib.ElementFunc,
		"flatten":         stdlib.FlattenFunc,
		"index":           stdlib.IndexFunc,
		"keys":            stdlib.KeysFunc,
		"length":          lengthFunc,
		"lookup":          stdlib.LookupFunc,
		"merge":           stdlib.MergeFunc,
		"one":             oneFunc,
		"pick":            pickFunc(env.Seed),
		"range":           stdlib.RangeFunc,
		"reverse":         stdlib.ReverseListFunc,
		"setintersection": stdlib.SetIntersectionFunc,
		"setproduct":      bounded(stdlib.SetProductFunc, tooManyCombinations),
		"setsubtract":     stdlib.SetSubtractFunc,
		"setunion":        stdlib.SetUnionFunc,
		"slice":           stdlib.SliceFunc,
		"sort":            stdlib.SortFunc,
		"values":          stdlib.ValuesFunc,
		"zipmap":          stdlib.ZipmapFunc,

		// conversions and errors
		"can":      tryfunc.CanFunc,
		"try":      tryfunc.TryFunc,
		"tobool":   stdlib.MakeToFunc(cty.Bool),
		"tolist":   stdlib.MakeToFunc(cty.List(cty.DynamicPseudoType)),
		"tomap":    stdlib.MakeToFunc(cty.Map(cty.DynamicPseudoType)),
		"tonumber": stdlib.MakeToFunc(cty.Number),
		"toset":    stdlib.MakeToFunc(cty.Set(cty.DynamicPseudoType)),
		"tostring": stdlib.MakeToFunc(cty.String),

		// encodings and hashes
		"base64decode": base64DecodeFunc,
		"base64encode": base64EncodeFunc,
		"csvdecode":    decoder(stdlib.CSVDecodeFunc, outlineCSV),
		"jsondecode":   decoder(stdlib.JSONDecodeFunc, outlineJSON),
		"jsonencode":   bounded(stdlib.JSONEncodeFunc, tooLongEncoded),
		"urlencode":    urlEncodeFunc,
		"yamldecode":   decoder(ctyyaml.YAMLDecodeFunc, outlineYAML),
		"yamlencode":   bounded(ctyyaml.YAMLEncodeFunc, tooLongEncoded),
		"md5":          hashFunc(md5Hex),
		"sha1":         hashFunc(sha1Hex),
		"sha256":       hashFunc(sha256Hex),
		"sha512":       hashFunc(sha512Hex),

		// paths and files
		"basename":   basenameFunc,
		"dirname":    dirnameFunc,
		"file":       fileFunc(env.Resolve),
		"filebase64": fileBase64Func(env.Resolve),
		"fileexists": fileExistsFunc(env.Resolve),
	}
	// A template can call all of them but itself.
	t["templatefile"] = TemplateFile(env.Resolve, t, func(int) bool { return true }, Work)
	return t
}
