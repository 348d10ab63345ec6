package funcs

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// stringFunc makes a function of strings.
func stringFunc(description string, result cty.Type, impl func(args []string) (cty.Value, error), params ...string) function.Function {
	spec := &function.Spec{
		Description: description,
		Type:        function.StaticReturnType(result),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			texts := make([]string, len(args))
			for i, a := range args {
				texts[i] = a.AsString()
			}
			return impl(texts)
		},
	}
	for _, name := range params {
		spec.Params = append(spec.Params, function.Parameter{Name: name, Type: cty.String})
	}
	return function.New(spec)
}

var startsWithFunc = stringFunc("Whether a string starts with another.", cty.Bool, func(a []string) (cty.Value, error) {
	return cty.BoolVal(strings.HasPrefix(a[0], a[1])), nil
}, "str", "prefix")

var endsWithFunc = stringFunc("Whether a string ends with another.", cty.Bool, func(a []string) (cty.Value, error) {
	return cty.BoolVal(strings.HasSuffix(a[0], a[1])), nil
}, "str", "suffix")

var strContainsFunc = stringFunc("Whether a string holds another.", cty.Bool, func(a []string) (cty.Value, error) {
	return cty.BoolVal(strings.Contains(a[0], a[1])), nil
}, "str", "substr")

var replaceFunc = stringFunc("Replaces every occurrence of substr, which is a regular expression if it is written between slashes.", cty.String,
	func(a []string) (cty.Value, error) {
		if pattern, ok := between(a[1], '/'); ok {
			return replaceMatches(a[0], pattern, a[2])
		}
		return replaceText(a[0], a[1], a[2])
	}, "str", "substr", "replace")

var base64EncodeFunc = stringFunc("Encodes a string as base64.", cty.String, func(a []string) (cty.Value, error) {
	return cty.StringVal(base64.StdEncoding.EncodeToString([]byte(a[0]))), nil
}, "str")

var base64DecodeFunc = stringFunc("Decodes base64 to a string.", cty.String, func(a []string) (cty.Value, error) {
	raw, err := base64.StdEncoding.DecodeString(a[0])
	if err != nil {
		return cty.NilVal, function.NewArgErrorf(0, "not base64: %w", err)
	}
	if !utf8.Valid(raw) {
		return cty.NilVal, function.NewArgErrorf(0, "what it decodes to isn't UTF-8 text")
	}
	return cty.StringVal(string(raw)), nil
}, "str")

var urlEncodeFunc = stringFunc("Escapes a string for use in a URL's query.", cty.String, func(a []string) (cty.Value, error) {
	return cty.StringVal(url.QueryEscape(a[0])), nil
}, "str")

var basenameFunc = stringFunc("The last part of a path.", cty.String, func(a []string) (cty.Value, error) {
	return cty.StringVal(path.Base(a[0])), nil
}, "path")

var dirnameFunc = stringFunc("A path without its last part.", cty.String, func(a []string) (cty.Value, error) {
	return cty.StringVal(path.Dir(a[0])), nil
}, "path")

var secondsFunc = stringFunc("A duration, such as 1m30s, as a number of seconds.", cty.Number, func(a []string) (cty.Value, error) {
	d, err := time.ParseDuration(a[0])
	if err != nil {
		return cty.NilVal, function.NewArgErrorf(0, "%q is not a duration; write it as 500ms, 10s or 1m30s", a[0])
	}
	// By way of decimals, since 0.1 is no binary fraction.
	return cty.ParseNumberVal(strconv.FormatFloat(d.Seconds(), 'f', -1, 64))
}, "duration")

func hashFunc(sum func([]byte) string) function.Function {
	return stringFunc("A hash of a string, in hexadecimal.", cty.String, func(a []string) (cty.Value, error) {
		return cty.StringVal(sum([]byte(a[0]))), nil
	}, "str")
}

func md5Hex(b []byte) string    { s := md5.Sum(b); return hex.EncodeToString(s[:]) }
func sha1Hex(b []byte) string   { s := sha1.Sum(b); return hex.EncodeToString(s[:]) }
func sha256Hex(b []byte) string { s := sha256.Sum256(b); return hex.EncodeToString(s[:]) }
func sha512Hex(b []byte) string { s := sha512.Sum512(b); return hex.EncodeToString(s[:]) }
