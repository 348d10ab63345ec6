//go:build linux

package nft

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/google/nftables/expr"
	"golang.org/x/sys/unix"
)

// tableOwner is NFT_TABLE_F_OWNER (linux/netfilter/nf_tables.h), which
// golang.org/x/sys/unix has no name for.
const tableOwner = 0x2

// batch is a transaction that is being written: messages one after the other.
type batch struct {
	text   []byte
	first  uint32 // the number of its first message
	number uint32 // of the last one so far
	start  int    // where the last one begins
	tables []uint32
}

func (c *Conn) begin() *batch {
	b := &batch{first: c.last + 1, number: c.last}
	b.message(unix.NFNL_MSG_BATCH_BEGIN, 0, unix.AF_UNSPEC, unix.NFNL_SUBSYS_NFTABLES)
	return b
}

// end asks for an answer to the last message, and closes the transaction. It
// returns that message's number.
func (b *batch) end() uint32 {
	binary.NativeEndian.PutUint16(b.text[b.start+6:], binary.NativeEndian.Uint16(b.text[b.start+6:])|unix.NLM_F_ACK)
	last := b.number
	b.message(unix.NFNL_MSG_BATCH_END, 0, unix.AF_UNSPEC, unix.NFNL_SUBSYS_NFTABLES)
	b.close()
	return last
}

// message begins another message: its headers (netlink(7), struct nfgenmsg).
func (b *batch) message(kind, flags uint16, family byte, resource uint16) {
	b.close()
	b.start = len(b.text)
	b.number++
	b.text = binary.NativeEndian.AppendUint32(b.text, 0) // the length, by close
	b.text = binary.NativeEndian.AppendUint16(b.text, kind)
	b.text = binary.NativeEndian.AppendUint16(b.text, unix.NLM_F_REQUEST|flags)
	b.text = binary.NativeEndian.AppendUint32(b.text, b.number)
	b.text = binary.NativeEndian.AppendUint32(b.text, 0)
	b.text = append(b.text, family, unix.NFNETLINK_V0)
	b.text = binary.BigEndian.AppendUint16(b.text, resource)
}

// close writes the length of the message that was begun last.
func (b *batch) close() {
	if len(b.text) > 0 {
		binary.NativeEndian.PutUint32(b.text[b.start:], uint32(len(b.text)-b.start))
	}
}

func (b *batch) ask(kind, flags uint16, t Table) {
	b.message(unix.NFNL_SUBSYS_NFTABLES<<8|kind, flags, t.Family, 0)
}

// attribute writes one; text ends with a zero in the kernel's messages.
func (b *batch) attribute(kind uint16, value []byte) {
	b.text = binary.NativeEndian.AppendUint16(b.text, uint16(4+len(value)))
	b.text = binary.NativeEndian.AppendUint16(b.text, kind)
	b.text = append(b.text, value...)
	for len(b.text)%4 != 0 {
		b.text = append(b.text, 0)
	}
}

func (b *batch) str(kind uint16, value string) { b.attribute(kind, append([]byte(value), 0)) }

func (b *batch) number32(kind uint16, value uint32) {
	b.attribute(kind, binary.BigEndian.AppendUint32(nil, value))
}

// nest writes an attribute of those that content writes.
func (b *batch) nest(kind uint16, content func() error) error {
	at := len(b.text)
	b.text = binary.NativeEndian.AppendUint16(b.text, 0)
	b.text = binary.NativeEndian.AppendUint16(b.text, kind|unix.NLA_F_NESTED)
	if err := content(); err != nil {
		return err
	}
	length := len(b.text) - at
	if length > 0xffff {
		return fmt.Errorf("a rule of %d bytes is too long", length)
	}
	binary.NativeEndian.PutUint16(b.text[at:], uint16(length))
	return nil
}

// table makes a table be there.
func (b *batch) table(t Table, owned bool) {
	b.ask(unix.NFT_MSG_NEWTABLE, unix.NLM_F_CREATE, t)
	b.tables = append(b.tables, b.number)
	b.str(unix.NFTA_TABLE_NAME, t.Name)
	flags := uint32(0)
	if owned {
		flags = tableOwner
	}
	b.number32(unix.NFTA_TABLE_FLAGS, flags)
}

func (b *batch) delete(t Table) {
	b.ask(unix.NFT_MSG_DELTABLE, 0, t)
	b.str(unix.NFTA_TABLE_NAME, t.Name)
}

// flush takes all rules of a table out.
func (b *batch) flush(t Table) {
	b.ask(unix.NFT_MSG_DELRULE, 0, t)
	b.str(unix.NFTA_RULE_TABLE, t.Name)
}

func (b *batch) chain(t Table, c Chain) {
	b.ask(unix.NFT_MSG_NEWCHAIN, unix.NLM_F_CREATE, t)
	b.str(unix.NFTA_CHAIN_TABLE, t.Name)
	b.str(unix.NFTA_CHAIN_NAME, c.Name)
	_ = b.nest(unix.NFTA_CHAIN_HOOK, func() error { // short, and so always nil
		b.number32(unix.NFTA_HOOK_HOOKNUM, c.Hook)
		b.number32(unix.NFTA_HOOK_PRIORITY, uint32(c.Priority))
		return nil
	})
	b.str(unix.NFTA_CHAIN_TYPE, c.Type)
}

func (b *batch) rule(t Table, r Rule) error {
	b.ask(unix.NFT_MSG_NEWRULE, unix.NLM_F_CREATE|unix.NLM_F_APPEND, t)
	b.str(unix.NFTA_RULE_TABLE, t.Name)
	b.str(unix.NFTA_RULE_CHAIN, r.Chain)
	err := b.nest(unix.NFTA_RULE_EXPRESSIONS, func() error {
		for _, e := range r.Exprs {
			text, err := expr.Marshal(t.Family, e)
			if err != nil {
				return fmt.Errorf("write a rule: %w", err)
			}
			b.attribute(unix.NFTA_LIST_ELEM|unix.NLA_F_NESTED, text)
		}
		return nil
	})
	if len(r.Note) > 0 {
		b.attribute(unix.NFTA_RULE_USERDATA, r.Note)
	}
	return err
}

// dump asks for all rules of a table.
func dump(t Table, number uint32) []byte {
	b := &batch{number: number - 1}
	b.ask(unix.NFT_MSG_GETRULE, unix.NLM_F_DUMP, t)
	b.str(unix.NFTA_RULE_TABLE, t.Name)
	b.close()
	return b.text
}

// message is one of the kernel's.
type message struct {
	kind, flags uint16
	number      uint32
	body        []byte
}

// messages takes an answer apart. The bodies are parts of it.
func messages(text []byte) (all []message, err error) {
	const header = unix.SizeofNlMsghdr
	for len(text) >= header {
		length := int(binary.NativeEndian.Uint32(text))
		if length < header || length > len(text) {
			return nil, fmt.Errorf("the kernel's answer has a message of %d bytes", length)
		}
		all = append(all, message{
			kind: binary.NativeEndian.Uint16(text[4:]), flags: binary.NativeEndian.Uint16(text[6:]),
			number: binary.NativeEndian.Uint32(text[8:]), body: text[header:length],
		})
		text = text[min((length+3)&^3, len(text)):]
	}
	return all, nil
}

// refusal is why the kernel has refused a message.
type refusal struct {
	number  unix.Errno
	ofTable bool // it was to make a table
}

func (r *refusal) Error() string {
	if r.ofTable && r.number == unix.EPERM {
		return "another process has a table of that name, or may make none: " + r.number.Error()
	}
	return r.number.Error()
}

func (r *refusal) Unwrap() error { return r.number }

// refusal is what an answer says: nil if all is well.
func (m message) refusal() *refusal {
	if len(m.body) < 4 {
		return nil
	}
	number := int32(binary.NativeEndian.Uint32(m.body))
	if number == 0 {
		return nil
	}
	return &refusal{number: unix.Errno(-number)}
}

// rule reads a rule of a table; false: it is another's.
func (m message) rule(table string) (f Found, ok bool) {
	if len(m.body) < 4 {
		return Found{}, false
	}
	attributes(m.body[4:], func(kind uint16, value []byte) { // behind struct nfgenmsg
		switch kind {
		case unix.NFTA_RULE_TABLE:
			ok = text(value) == table
		case unix.NFTA_RULE_CHAIN:
			f.Chain = text(value)
		case unix.NFTA_RULE_USERDATA:
			f.Note = bytes.Clone(value)
		case unix.NFTA_RULE_EXPRESSIONS:
			attributes(value, func(_ uint16, element []byte) { f.Packets += counted(element) })
		}
	})
	return f, ok
}

// counted are the packets of an expression that is a counter.
func counted(element []byte) (packets uint64) {
	counter := false
	attributes(element, func(kind uint16, value []byte) {
		switch {
		case kind == unix.NFTA_EXPR_NAME:
			counter = text(value) == "counter"
		case kind == unix.NFTA_EXPR_DATA && counter:
			attributes(value, func(kind uint16, value []byte) {
				if kind == unix.NFTA_COUNTER_PACKETS && len(value) == 8 {
					packets = binary.BigEndian.Uint64(value)
				}
			})
		}
	})
	return packets
}

// attributes takes apart what consists of them.
func attributes(all []byte, each func(kind uint16, value []byte)) {
	for len(all) >= 4 {
		length := int(binary.NativeEndian.Uint16(all))
		if length < 4 || length > len(all) {
			return
		}
		each(binary.NativeEndian.Uint16(all[2:])&^(3<<14), all[4:length])
		all = all[min((length+3)&^3, len(all)):]
	}
}

func text(value []byte) string { return string(bytes.TrimRight(value, "\x00")) }
