package reference

import (
	"fmt"
	"io"
	"strings"
)

// Overview writes what there is to look up.
func (l *Language) Overview(to io.Writer, s Style) error {
	w := newWriter(s)
	w.prose("`scenario explain WORD` says what a word of a scenario file means, a code of a diagnostic such as SCN0203 included. "+
		"A plural, such as `explain faults`, lists one kind.", 0)
	for _, k := range Kinds() {
		list := l.List(k)
		if len(list) == 0 {
			continue
		}
		switch k {
		case FunctionTopic:
			w.groups("Functions", list)
		case CodeTopic:
			w.out.WriteString("\n" + w.paint.heading.Sprint("Codes") + "\n")
			w.prose(fmt.Sprintf("%s to %s; `scenario explain codes` lists them.", list[0].Name, list[len(list)-1].Name), 2)
		case ArgumentTopic, AttributeTopic, StatisticTopic, FormatTopic, ValueTypeTopic, RootTopic:
			w.out.WriteString("\n" + w.paint.heading.Sprint(upperFirst(k.Plural())) + "\n")
			w.prose(strings.Join(topicNames(list), ", "), 2)
		case BlockTopic:
			w.listOf("Blocks", inGroup(list, ""))
			w.listOf("Blocks in blocks", inGroup(list, nestedGroup))
		default:
			w.list(k, list)
		}
	}
	return w.flush(to)
}

// Contents writes the topics of a kind, a line each.
func Contents(to io.Writer, k Kind, topics []Topic, s Style) error {
	w := newWriter(s)
	if k == FunctionTopic {
		for _, group := range groupsOf(topics) {
			w.listOf(upperFirst(group), inGroup(topics, group))
		}
	} else {
		w.list(k, topics)
	}
	_, err := io.WriteString(to, strings.TrimPrefix(w.out.String(), "\n"))
	return err
}

func (w *writer) list(k Kind, topics []Topic) { w.listOf(upperFirst(k.Plural()), topics) }

func (w *writer) listOf(title string, topics []Topic) {
	s := Section{Title: title}
	for _, t := range topics {
		s.Rows = append(s.Rows, Row{Name: t.Name, Doc: t.Summary})
	}
	w.section(s)
}

func (w *writer) groups(title string, topics []Topic) {
	w.out.WriteString("\n" + w.paint.heading.Sprint(title) + "\n")
	for _, group := range groupsOf(topics) {
		w.hanging("  "+group+": ", len(group)+4, 4, strings.Join(topicNames(inGroup(topics, group)), ", "))
	}
}

func topicNames(topics []Topic) []string {
	var all []string
	for _, t := range topics {
		all = append(all, t.Name)
	}
	return all
}

func groupsOf(topics []Topic) []string {
	var all []string
	for _, t := range topics {
		if len(all) == 0 || all[len(all)-1] != t.Group {
			all = append(all, t.Group)
		}
	}
	return all
}

func inGroup(topics []Topic, group string) []Topic {
	var all []Topic
	for _, t := range topics {
		if t.Group == group {
			all = append(all, t)
		}
	}
	return all
}
