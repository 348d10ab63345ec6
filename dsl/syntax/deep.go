package syntax

// span is a part of a text, by offsets.
type span struct{ from, to int }

// deepBlocks are the parts of a text in which blocks are nested too deeply: each
// from the brace of the outermost one to that which closes it, or to the end.
func deepBlocks(src []byte) []span {
	var all []span
	s := scanner{src: src, levels: make([]level, 1, 16)}
	outermost, deep := 0, false
	for ; s.at < len(src); s.at++ {
		before := len(s.levels)
		s.step()
		switch {
		case before == 1 && s.brackets == 1:
			outermost, deep = s.at, false
		case !deep && s.tooDeep() && s.inBlocks():
			deep = true
			all = append(all, span{outermost, len(src)})
		case deep && len(s.levels) == 1:
			deep = false
			all[len(all)-1].to = s.at + 1
		}
	}
	return all
}

// joined are the pieces with those made one that are cut within blocks nested
// too deeply: their heads only look as if they stood at the top.
func joined(all []piece, deep []span) []piece {
	if len(deep) == 0 {
		return all
	}
	var some []piece
	for _, p := range all {
		for len(deep) > 0 && deep[0].to <= p.start.Byte {
			deep = deep[1:]
		}
		if len(some) > 0 && len(deep) > 0 && deep[0].from < p.start.Byte {
			some[len(some)-1].end = p.end
			continue
		}
		some = append(some, p)
	}
	return some
}
