package conformance

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/scenario-run/scenario/engine/runtime"
)

var fileRules = map[string]func(*lab){
	"a file is written and read before the start of a node, while it runs and after its end": func(l *lab) {
		id := l.create(l.spec("a", Sleep))
		for _, stage := range []func() error{
			func() error { return nil },
			func() error { _, err := l.StartNode(l.ctx, id); return err },
			func() error { return l.StopNode(l.ctx, id, 0) },
		} {
			l.must(stage())
			content := []byte("some content")
			l.must(l.WriteFile(l.ctx, id, "/etc/conformance/new/file", runtime.NewFile{Content: content}))
			f, err := l.ReadFile(l.ctx, id, "/etc/conformance/new/file", 4)
			l.must(err)
			sum := sha256.Sum256(content)
			if f.Size != int64(len(content)) || f.SHA256 != hex.EncodeToString(sum[:]) || string(f.Content) != "some" || f.Directory {
				l.Errorf("%+v", f)
			}
		}
	},
	"what can't be written for what is there is the node's own fault": func(l *lab) {
		id := l.create(l.spec("a", Sleep))
		file := runtime.NewFile{Content: []byte("x")}
		l.must(l.WriteFile(l.ctx, id, "/etc/conformance/file", file))
		l.wantKind(l.WriteFile(l.ctx, id, "/etc/conformance", file), runtime.NodeFault)
		l.wantKind(l.WriteFile(l.ctx, id, "/etc/conformance/file/below", file), runtime.NodeFault)
	},
	"a file that is not there is not found": func(l *lab) {
		_, err := l.ReadFile(l.ctx, l.create(l.spec("a", Sleep)), "/no/such/file", 1)
		l.wantKind(err, runtime.NotFound)
	},
}
