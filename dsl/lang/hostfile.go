package lang

import (
	"os"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/schema"
)

// hostFile makes the value of an argument that is a file of this machine a path
// that can be opened: it is relative to the file that has the argument, which
// may be a library's. Of any other argument it is as it was.
func (f frame) hostFile(a schema.Attr, e hclsyntax.Expression, v cty.Value) (cty.Value, hcl.Diagnostics) {
	if a.Format != schema.HostFile || !v.IsKnown() || f.dead {
		return v, nil
	}
	name := v.AsString()
	path, err := f.x.p.set.Resolve(f.file, name)
	if err != nil {
		return v, hcl.Diagnostics{diag.New(diag.Outside, e.Range(), a.Name+": "+err.Error(), "")}
	}
	if why := notReadable(path); why != "" {
		return v, hcl.Diagnostics{diag.New(diag.NoFile, e.Range(), a.Name+": "+name+" "+why, "The path is relative to the file that says it.")}
	}
	return cty.StringVal(path), nil
}

func notReadable(path string) string {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "isn't there"
	case info.IsDir():
		return "is a directory, not a file"
	case !info.Mode().IsRegular():
		return "is not a file"
	}
	return ""
}
