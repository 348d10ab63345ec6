package funcs

// Info is what there is to say about a function beyond its parameters.
type Info struct {
	Name    string
	Group   Group
	Result  string // its type
	Summary string // one line, without a full stop
	// Example is a call, and Yields what it comes to, both as a file has them.
	// Where it reads a file, it is one of ExampleFiles.
	Example, Yields string
}

// Group is what a function is about.
type Group string

// The groups, in the order in which they are shown.
const (
	Numbers     Group = "numbers"
	Strings     Group = "strings"
	Times       Group = "times"
	Collections Group = "collections"
	Conversions Group = "conversions and errors"
	Encodings   Group = "encodings and hashes"
	Files       Group = "paths and files"
)

// ExampleFiles returns the files that examples read, by their paths.
func ExampleFiles() map[string]string {
	return map[string]string{
		"greeting.txt": "hello\n",
		"greeting.tpl": "hello ${name}\n",
	}
}

// Infos describes every function of Table, by group and name.
func Infos() []Info {
	return []Info{
		{"abs", Numbers, "number", "a number without its sign", `abs(-2)`, `2`},
		{"ceil", Numbers, "number", "the next whole number upwards", `ceil(1.2)`, `2`},
		{"floor", Numbers, "number", "the next whole number downwards", `floor(1.8)`, `1`},
		{"int", Numbers, "number", "a number without what stands behind the point", `int(-1.8)`, `-1`},
		{"log", Numbers, "number", "the logarithm of a number to a base", `log(8, 2)`, `3`},
		{"max", Numbers, "number", "the greatest of its arguments; of a list with `max(LIST...)`", `max(1, 3, 2)`, `3`},
		{"min", Numbers, "number", "the least of its arguments; of a list with `min(LIST...)`", `min([3, 1]...)`, `1`},
		{"parseint", Numbers, "number", "the whole number that a string is in a base", `parseint("ff", 16)`, `255`},
		{"pow", Numbers, "number", "a number raised to a power", `pow(2, 10)`, `1024`},
		{"seconds", Numbers, "number", "a duration as a number of seconds", `seconds("1m30s")`, `90`},
		{"signum", Numbers, "number", "-1, 0 or 1, by the sign of a number", `signum(-7)`, `-1`},
		{"sum", Numbers, "number", "the sum of a list of numbers; 0 of an empty one", `sum([1, 2.5])`, `3.5`},

		{"chomp", Strings, "string", "a string without the line ends at its end", `chomp("hello\n")`, `"hello"`},
		{"endswith", Strings, "bool", "whether a string ends with another", `endswith("gcs_server", "server")`, `true`},
		{"format", Strings, "string", "a string with values in place of verbs such as `%s`, `%d` and `%05.1f`", `format("%s-%02d", "node", 7)`, `"node-07"`},
		{"formatlist", Strings, "list(string)", "as format, once for each element of a list", `formatlist("10.0.0.%d", [1, 2])`, `["10.0.0.1", "10.0.0.2"]`},
		{"indent", Strings, "string", "a string whose lines, except the first, begin with so many spaces", `indent(2, "a:\nb")`, `"a:\n  b"`},
		{"join", Strings, "string", "the strings of lists in one, with a separator between them", `join(",", ["a", "b"])`, `"a,b"`},
		{"lower", Strings, "string", "a string in lower case", `lower("ALIVE")`, `"alive"`},
		{"regex", Strings, "any", "the first match of a regular expression: the text, or its groups; an error without a match", `regex("[0-9]+", "pid 17")`, `"17"`},
		{"regexall", Strings, "any", "all matches of a regular expression, as a list", `regexall("[0-9]+", "1 and 22")`, `["1", "22"]`},
		{"regexreplace", Strings, "string", "a string with every match of a regular expression replaced", `regexreplace("a1b22", "[0-9]+", "#")`, `"a#b#"`},
		{"replace", Strings, "string", "a string with every occurrence of another replaced; between slashes, that is a regular expression", `replace("a.b.c", ".", "-")`, `"a-b-c"`},
		{"split", Strings, "list(string)", "the parts of a string between separators", `split(",", "a,b")`, `["a", "b"]`},
		{"startswith", Strings, "bool", "whether a string starts with another", `startswith("gcs_server", "gcs")`, `true`},
		{"strcontains", Strings, "bool", "whether a string contains another", `strcontains("connection refused", "refused")`, `true`},
		{"strlen", Strings, "number", "how many characters a string has", `strlen("äöü")`, `3`},
		{"strrev", Strings, "string", "a string backwards", `strrev("abc")`, `"cba"`},
		{"substr", Strings, "string", "a part of a string, from a character on, so many long; -1 is the rest", `substr("scenario", 0, 5)`, `"scena"`},
		{"title", Strings, "string", "a string whose words begin with capitals", `title("head node")`, `"Head Node"`},
		{"trim", Strings, "string", "a string without those characters at its ends", `trim("--a--", "-")`, `"a"`},
		{"trimprefix", Strings, "string", "a string without a beginning, if it has it", `trimprefix("node.web", "node.")`, `"web"`},
		{"trimspace", Strings, "string", "a string without the white space at its ends", `trimspace(" 17\n")`, `"17"`},
		{"trimsuffix", Strings, "string", "a string without an end, if it has it", `trimsuffix("web.log", ".log")`, `"web"`},
		{"upper", Strings, "string", "a string in upper case", `upper("alive")`, `"ALIVE"`},

		{"formatdate", Times, "string", "a time written as a layout says", `formatdate("hh:mm:ss", "2026-01-02T03:04:05Z")`, `"03:04:05"`},
		{"timeadd", Times, "string", "a time moved by a duration", `timeadd("2026-01-02T03:04:05Z", "10s")`, `"2026-01-02T03:04:15Z"`},

		{"alltrue", Collections, "bool", "whether all of a list are true; of an empty one they are", `alltrue([for n in [1, 2] : n > 0])`, `true`},
		{"anytrue", Collections, "bool", "whether one of a list is true; of an empty one none is", `anytrue([false, true])`, `true`},
		{"chunklist", Collections, "list(list)", "a list cut into lists of at most so many elements", `chunklist(["a", "b", "c"], 2)`, `[["a", "b"], ["c"]]`},
		{"coalesce", Collections, "any", "the first argument that isn't null", `coalesce(null, "b")`, `"b"`},
		{"coalescelist", Collections, "list", "the first list that isn't empty", `coalescelist([], ["b"])`, `["b"]`},
		{"compact", Collections, "list(string)", "a list of strings without the empty ones", `compact(["a", "", "b"])`, `["a", "b"]`},
		{"concat", Collections, "list", "several lists as one", `concat(["a"], ["b", "c"])`, `["a", "b", "c"]`},
		{"contains", Collections, "bool", "whether a list has an element", `contains(["a", "b"], "b")`, `true`},
		{"distinct", Collections, "list", "a list without repetitions", `distinct(["a", "b", "a"])`, `["a", "b"]`},
		{"element", Collections, "any", "an element of a list by its number; past the end it begins anew", `element(["a", "b"], 3)`, `"b"`},
		{"flatten", Collections, "list", "the elements of nested lists as one list", `flatten([["a"], ["b", ["c"]]])`, `["a", "b", "c"]`},
		{"index", Collections, "any", "the element of a list or map at a number or key", `index(["a", "b"], 1)`, `"b"`},
		{"keys", Collections, "list(string)", "the keys of a map or object, sorted", `keys({ b = 1, a = 2 })`, `["a", "b"]`},
		{"length", Collections, "number", "how many elements a list, map or object has, or characters a string", `length(["a", "b"])`, `2`},
		{"lookup", Collections, "any", "the value of a key in a map, or another value if it isn't there", `lookup({ a = 1 }, "b", 0)`, `0`},
		{"merge", Collections, "map", "several maps or objects as one; of the same key the last counts", `merge({ a = 1, b = 1 }, { b = 2 })`, `{ a = 1, b = 2 }`},
		{"one", Collections, "any", "the only element of a list, or null if it is empty; an error for more", `one(["a"])`, `"a"`},
		{"pick", Collections, "any", "an element of a list, chosen by the seed and the keys: the same seed and keys, the same choice", `pick(["a"], "victim")`, `"a"`},
		{"range", Collections, "list(number)", "numbers from 0, or a start, up to a limit that isn't among them", `range(3)`, `[0, 1, 2]`},
		{"reverse", Collections, "list", "a list backwards", `reverse(["a", "b"])`, `["b", "a"]`},
		{"setintersection", Collections, "set", "the elements that all sets have", `setintersection(["a", "b"], ["b", "c"])`, `toset(["b"])`},
		{"setproduct", Collections, "list", "every combination of an element of each list", `setproduct(["a"], ["x", "y"])`, `[["a", "x"], ["a", "y"]]`},
		{"setsubtract", Collections, "set", "the elements of a set that another hasn't", `setsubtract(["a", "b"], ["b"])`, `toset(["a"])`},
		{"setunion", Collections, "set", "the elements of any of several sets", `setunion(["a"], ["b"])`, `toset(["a", "b"])`},
		{"slice", Collections, "list", "the elements of a list from a number up to another, which isn't among them", `slice(["a", "b", "c"], 1, 3)`, `["b", "c"]`},
		{"sort", Collections, "list(string)", "a list of strings in order", `sort(["b", "a"])`, `["a", "b"]`},
		{"values", Collections, "list", "the values of a map or object, in the order of its keys", `values({ b = 1, a = 2 })`, `[2, 1]`},
		{"zipmap", Collections, "map", "a map of a list of keys and a list of values", `zipmap(["a", "b"], [1, 2])`, `{ a = 1, b = 2 }`},

		{"can", Conversions, "bool", "whether an expression can be evaluated", `can(regex("[0-9]", "none"))`, `false`},
		{"tobool", Conversions, "bool", "a value as a bool", `tobool("true")`, `true`},
		{"tolist", Conversions, "list", "a value as a list, whose elements are of one type", `tolist(["a", 1])`, `["a", "1"]`},
		{"tomap", Conversions, "map", "a value as a map, whose values are of one type", `tomap({ a = "x", b = 1 })`, `{ a = "x", b = "1" }`},
		{"tonumber", Conversions, "number", "a value as a number", `tonumber("17")`, `17`},
		{"toset", Conversions, "set", "a list as a set: without order and repetitions", `length(toset(["a", "a"]))`, `1`},
		{"tostring", Conversions, "string", "a value as a string", `tostring(17)`, `"17"`},
		{"try", Conversions, "any", "the first argument that can be evaluated", `try(tonumber("none"), 0)`, `0`},

		{"base64decode", Encodings, "string", "the text that base64 stands for", `base64decode("aGVsbG8=")`, `"hello"`},
		{"base64encode", Encodings, "string", "a text as base64", `base64encode("hello")`, `"aGVsbG8="`},
		{"csvdecode", Encodings, "list(object)", "the rows of CSV text, whose first line has the names", `csvdecode("a,b\n1,2\n")[0].b`, `"2"`},
		{"jsondecode", Encodings, "any", "the value that JSON text stands for", `jsondecode("{\"pid\": 17}").pid`, `17`},
		{"jsonencode", Encodings, "string", "a value as JSON", `jsonencode({ pid = [17] })`, `"{\"pid\":[17]}"`},
		{"md5", Encodings, "string", "the MD5 hash of a text, in hexadecimal", `substr(md5("a"), 0, 8)`, `"0cc175b9"`},
		{"sha1", Encodings, "string", "the SHA-1 hash of a text, in hexadecimal", `substr(sha1("a"), 0, 8)`, `"86f7e437"`},
		{"sha256", Encodings, "string", "the SHA-256 hash of a text, in hexadecimal", `substr(sha256("a"), 0, 8)`, `"ca978112"`},
		{"sha512", Encodings, "string", "the SHA-512 hash of a text, in hexadecimal", `substr(sha512("a"), 0, 8)`, `"1f40fc92"`},
		{"urlencode", Encodings, "string", "a text for use in a URL's query", `urlencode("a b&c")`, `"a+b%26c"`},
		{"yamldecode", Encodings, "any", "the value that YAML text stands for", `yamldecode("pid: 17").pid`, `17`},
		{"yamlencode", Encodings, "string", "a value as YAML", `yamlencode({ pid = 17 })`, `"\"pid\": 17\n"`},

		{"basename", Files, "string", "the last part of a path", `basename("/var/log/web.log")`, `"web.log"`},
		{"dirname", Files, "string", "a path without its last part", `dirname("/var/log/web.log")`, `"/var/log"`},
		{"file", Files, "string", "the text of a file, whose path is relative to the file that says it", `file("greeting.txt")`, `"hello\n"`},
		{"filebase64", Files, "string", "the bytes of a file as base64", `filebase64("greeting.txt")`, `"aGVsbG8K"`},
		{"fileexists", Files, "bool", "whether there is a file at a path", `fileexists("greeting.txt")`, `true`},
		{"templatefile", Files, "string", "the text of a file in which `${…}` is replaced by values; it may use those given, and functions", `templatefile("greeting.tpl", { name = "web" })`, `"hello web\n"`},
	}
}
