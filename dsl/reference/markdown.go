package reference

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// Page is a page of the reference in Markdown.
type Page struct {
	File  string // "actions.md"
	Title string
	Text  string
}

// pages are the kinds of topics that share a page.
var pages = []struct {
	file, title, about string
	kinds              []Kind
	short              bool // a row for each topic, not a section
}{
	{"blocks.md", "Blocks", "The blocks of a scenario file, then those that stand in others, then the words that begin references.", []Kind{BlockTopic, RootTopic}, false},
	{"actions.md", "Actions", "What an `action` block can do. Faults, which are actions too, have [a page of their own](faults.md).", []Kind{ActionTopic}, false},
	{"faults.md", "Faults", "Actions whose effect lasts until it is healed: by `heal`, by what else ends them, by `for`, or at the end.", []Kind{FaultTopic}, false},
	{"probes.md", "Probes", "What a `probe` block can ask.", []Kind{ProbeTopic}, false},
	{"workloads.md", "Workloads", "The traffic that a `workload` block can make.", []Kind{WorkloadTopic}, false},
	{"node_kinds.md", "Node kinds", "The blocks in a `node` that fill in the rest of it.", []Kind{NodeKindTopic}, false},
	{"functions.md", "Functions", "What expressions can call.", []Kind{FunctionTopic}, false},
	{"values.md", "Values", "The statistics of workloads and windows, the attributes of steps and nodes, how values are written, and the types that variables and params can be of.", []Kind{StatisticTopic, AttributeTopic, FormatTopic, ValueTypeTopic}, true},
	{"diagnostics.md", "Diagnostics", "The codes of what can be wrong with a file, each with an example that provokes it and one that is right.", []Kind{CodeTopic}, false},
}

// Pages returns the reference in Markdown, a page for each kind of topic.
func (l *Language) Pages() []Page {
	var all []Page
	for _, p := range pages {
		var b strings.Builder
		fmt.Fprintf(&b, "# %s\n\n%s\n\n%s\n", p.title, generated, p.about)
		for _, k := range p.kinds {
			topics := l.List(k)
			if len(p.kinds) > 1 {
				fmt.Fprintf(&b, "\n## %s\n", upperFirst(k.Plural()))
			}
			if p.short {
				markdownTable(&b, k, topics)
				continue
			}
			contents(&b, topics)
			for _, t := range topics {
				markdownTopic(&b, t)
			}
		}
		all = append(all, Page{p.file, p.title, b.String()})
	}
	return all
}

// generated stands at the top of each page.
const generated = "<!-- Generated from the program by `make docs`; change what it is made from. -->"

// markdownTable has a row for each topic.
func markdownTable(b *strings.Builder, k Kind, topics []Topic) {
	if k == StatisticTopic {
		fmt.Fprintf(b, "\nOf a workload as a whole they are its attributes, `workload.NAME.ok`; `during`, `between` and `since` give those of a part of it. %s\n", withoutValue)
	}
	b.WriteString("\n| name | | |\n|---|---|---|\n")
	for _, t := range topics {
		about, aside := t.Doc, t.Usage
		switch {
		case about == "":
			about = upperFirst(t.Summary) + "."
		case k == ValueTypeTopic:
			about = upperFirst(t.Summary) + ". " + about
		}
		if k == StatisticTopic {
			aside = t.Sections[0].Rows[0].Name // its type
		}
		fmt.Fprintf(b, "| <a id=\"%s\"></a>`%s` | `%s` | %s |\n", anchor(t), t.Name, strings.ReplaceAll(aside, "\n", "`, `"), cell(about))
	}
}

// contents lists the topics of a page with links to each.
func contents(b *strings.Builder, topics []Topic) {
	for _, group := range groupsOf(topics) {
		b.WriteString("\n")
		var links []string
		for _, t := range inGroup(topics, group) {
			links = append(links, fmt.Sprintf("[%s](#%s)", t.Name, anchor(t)))
		}
		if group != "" {
			b.WriteString(upperFirst(group) + ": ")
		}
		b.WriteString(strings.Join(links, " · ") + "\n")
	}
}

// anchor is unlike GitHub's own, so that the same name of two kinds on one page
// has two.
func anchor(t Topic) string {
	return strings.ReplaceAll(string(t.Kind), " ", "-") + "-" + strings.ToLower(t.Name)
}

func markdownTopic(b *strings.Builder, t Topic) {
	fmt.Fprintf(b, "\n<a id=\"%s\"></a>\n### %s\n\n%s.\n", anchor(t), t.Name, upperFirst(t.Summary))
	if t.Usage != "" {
		fence(b, "text", t.Usage)
	}
	if t.Doc != "" && summaryOf(t.Doc) != t.Summary {
		b.WriteString("\n" + t.Doc + "\n")
	} else if rest := strings.TrimPrefix(t.Doc, firstSentence(t.Doc)+"."); strings.TrimSpace(rest) != "" {
		b.WriteString("\n" + strings.TrimSpace(rest) + "\n")
	}
	for _, s := range t.Sections {
		markdownSection(b, s)
	}
	for _, e := range t.Examples {
		markdownExample(b, e)
	}
}

func markdownSection(b *strings.Builder, s Section) {
	if s.Title == "Type" || s.Title == "Result" { // one row that is all name
		fmt.Fprintf(b, "\n%s: `%s`.", s.Title, s.Rows[0].Name)
		if s.After != "" {
			b.WriteString(" " + s.After)
		}
		b.WriteString("\n")
		return
	}
	fmt.Fprintf(b, "\n**%s**\n", s.Title)
	if len(s.Rows) > 0 {
		typed := hasTypes(s.Rows)
		if typed {
			b.WriteString("\n| name | type | |\n|---|---|---|\n")
		} else {
			b.WriteString("\n| name | |\n|---|---|\n")
		}
		markdownRows(b, "", s.Rows, typed)
	}
	if s.After != "" {
		b.WriteString("\n" + s.After + "\n")
	}
}

func hasTypes(rows []Row) bool {
	for _, r := range rows {
		if r.Type != "" {
			return true
		}
	}
	return false
}

// markdownRows writes rows of a table. Those of a nested block or object are
// called by their paths.
func markdownRows(b *strings.Builder, path string, rows []Row, typed bool) {
	for _, r := range rows {
		name := "`" + path + r.Name + "`"
		if strings.Contains(r.Name, ", ") || strings.Contains(r.Name, " ") {
			name = r.Name
		}
		if !typed {
			fmt.Fprintf(b, "| %s | %s |\n", name, cell(r.Doc))
			continue
		}
		about := strings.Join(append(append([]string{}, r.Facts...), nonEmpty(r.Doc)...), ". ")
		fmt.Fprintf(b, "| %s | %s | %s |\n", name, cell(r.Type), cell(upperFirstOf(about)))
		markdownRows(b, path+r.Name+".", r.Rows, typed)
	}
}

func upperFirstOf(s string) string {
	if s == "" {
		return ""
	}
	return upperFirst(s)
}

// cell is text that stands in a table.
func cell(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "|", `\|`)
}

func markdownExample(b *strings.Builder, e Example) {
	if e.Title != "" {
		fmt.Fprintf(b, "\n%s:\n", strings.TrimSuffix(e.Title, "."))
	}
	for _, f := range e.Files {
		if len(e.Files) > 1 {
			fmt.Fprintf(b, "\n`%s`\n", f.Name)
		}
		fence(b, languageOf(f), printable(f.Text))
	}
}

// languageOf is what a file is shown as: HCL only if it is a whole file of it,
// which a call is not, and what provokes a diagnostic may not be.
func languageOf(f File) string {
	if !strings.HasSuffix(f.Name, ".hcl") || strings.TrimSpace(f.Text) == "" {
		return "text"
	}
	if _, diags := hclsyntax.ParseConfig([]byte(f.Text), f.Name, hcl.InitialPos); diags.HasErrors() {
		return "text"
	}
	return "hcl"
}

func fence(b *strings.Builder, language, text string) {
	fmt.Fprintf(b, "\n```%s\n%s\n```\n", language, strings.TrimRight(text, "\n"))
}
