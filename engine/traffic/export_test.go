package traffic

import (
	"context"
	"net"
)

// HTTPJobOver is HTTPJob over other connections than the machine's.
func HTTPJobOver(ctx context.Context, s HTTPSpec, dial func(ctx context.Context, network, address string) (net.Conn, error), out func([]byte) error) error {
	return s.send(ctx, dial, out)
}
