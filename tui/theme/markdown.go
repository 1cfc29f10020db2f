package theme

import "charm.land/glamour/v2/ansi"

// Markdown is the style of Markdown, in Glamour's format.
type Markdown struct {
	ansi.StyleConfig
	// Marks extends parley's own style beyond that format. It is nil for other styles.
	Marks *Marks
}

// Marks styles the parts of Markdown for which Glamour's format has no colour of their
// own, or only one form.
type Marks struct {
	// Bold is a bold word in plain text. In a heading or a quote it keeps the colour
	// around it.
	Bold ansi.StylePrimitive
	// Quote and Code are the bars to the left of quotes and of code.
	Quote, Code ansi.StylePrimitive
	// Language is the name of the language above code.
	Language ansi.StylePrimitive
	// NoCodeBar omits the bar of code.
	NoCodeBar bool
	// Item is the mark of a list item, Done that of a finished task.
	Item, Done ansi.StylePrimitive
	// Bullets are the marks of items without a number, by depth.
	Bullets []string
	// URL is the address of a link, after its text.
	URL ansi.StylePrimitive
	// TableHeader is the first row of a table, TableBorder its lines.
	TableHeader, TableBorder ansi.StylePrimitive
}

// WithMarkdown returns the theme with another style for Markdown; nil means the theme's
// own. Do not change the style afterwards.
func (t *Theme) WithMarkdown(style *ansi.StyleConfig) *Theme {
	if style == nil {
		return t
	}
	other := *t
	other.Markdown = Markdown{StyleConfig: *style}
	return &other
}

// markdown returns parley's own style.
func (p *palette) markdown() Markdown {
	fg := func(ink string) ansi.StylePrimitive {
		if ink == "" {
			return ansi.StylePrimitive{}
		}
		return ansi.StylePrimitive{Color: &ink}
	}
	level := func(text ansi.StylePrimitive) ansi.StyleBlock { return ansi.StyleBlock{StylePrimitive: text} }
	link := fg(p.blue)
	link.Underline = yes
	s := ansi.StyleConfig{
		Document:      ansi.StyleBlock{StylePrimitive: fg(p.text)},
		BlockQuote:    ansi.StyleBlock{StylePrimitive: italic(fg(p.muted)), Indent: new(uint(1)), IndentToken: new("│ ")},
		List:          ansi.StyleList{LevelIndent: 2},
		Heading:       ansi.StyleBlock{StylePrimitive: bold(fg(p.accent))},
		H1:            level(underlined(ansi.StylePrimitive{})),
		H2:            level(ansi.StylePrimitive{}),
		H3:            level(bold(fg(p.strong))),
		H4:            level(plain(underlined(fg(p.text)))),
		H5:            level(plain(italic(fg(p.text)))),
		H6:            level(plain(italic(fg(p.muted)))),
		Strikethrough: fg(p.muted),
		Emph:          ansi.StylePrimitive{Italic: yes},
		Strong:        ansi.StylePrimitive{Bold: yes},
		// A rule without a form fills the whole width.
		HorizontalRule: fg(p.line),
		Item:           ansi.StylePrimitive{BlockPrefix: "• "},
		Enumeration:    ansi.StylePrimitive{BlockPrefix: ". "},
		Task:           ansi.StyleTask{Ticked: "[✓] ", Unticked: "[ ] "},
		Link:           link, LinkText: link, Image: link, ImageText: link,
		Code:      ansi.StyleBlock{StylePrimitive: fg(p.violet)},
		CodeBlock: ansi.StyleCodeBlock{StyleBlock: ansi.StyleBlock{Margin: new(uint(2))}, Theme: p.chroma, Chroma: p.code},
		Table:     ansi.StyleTable{CenterSeparator: new("─"), ColumnSeparator: new(" "), RowSeparator: new("─")},
		HTMLBlock: ansi.StyleBlock{StylePrimitive: fg(p.muted)},
		HTMLSpan:  ansi.StyleBlock{StylePrimitive: fg(p.muted)},
	}
	s.Heading.BlockSuffix = "\n"
	s.Strikethrough.CrossedOut = yes
	return Markdown{StyleConfig: s, Marks: &Marks{
		Bold: bold(fg(p.strong)), Quote: fg(p.faint), Code: fg(p.line), Language: fg(p.faint),
		Item: fg(p.accent), Done: fg(p.green), Bullets: []string{"•", "◦", "▪"},
		URL: fg(p.faint), TableHeader: bold(fg(p.strong)), TableBorder: fg(p.line),
	}}
}

// dimmed returns the style for muted text: the same forms in one colour, except in
// code.
func (m Markdown) dimmed(p *palette) Markdown {
	s := &m.StyleConfig
	for _, part := range parts(s) {
		part.Color, part.BackgroundColor, part.Inverse, part.Italic = nil, nil, nil, nil
	}
	s.Document.Italic = yes
	if p.muted != "" {
		s.Document.Color = &p.muted
	}
	for _, part := range []*ansi.StylePrimitive{
		&s.Code.StylePrimitive, &s.Link, &s.LinkText, &s.Image, &s.ImageText, &s.HTMLBlock.StylePrimitive, &s.HTMLSpan.StylePrimitive,
	} {
		part.Italic, part.Underline = no, nil
	}
	s.HorizontalRule.Color, s.HorizontalRule.Italic, s.Strikethrough.Italic = &p.line, no, no
	if m.Marks != nil {
		marks := *m.Marks
		marks.Bold, marks.Item.Color, marks.URL.Italic = s.Strong, &p.faint, no
		marks.TableHeader = ansi.StylePrimitive{Color: &p.muted, Italic: no}
		m.Marks = &marks
	}
	return m
}

// parts returns the primitives of a style, without those of code blocks.
func parts(s *ansi.StyleConfig) []*ansi.StylePrimitive {
	list := []*ansi.StylePrimitive{
		&s.Text, &s.Strikethrough, &s.Emph, &s.Strong, &s.HorizontalRule, &s.Item, &s.Enumeration, &s.Task.StylePrimitive,
		&s.Link, &s.LinkText, &s.Image, &s.ImageText, &s.DefinitionTerm, &s.DefinitionDescription,
	}
	for _, block := range []*ansi.StyleBlock{
		&s.Document, &s.BlockQuote, &s.Paragraph, &s.List.StyleBlock, &s.Heading, &s.H1, &s.H2, &s.H3, &s.H4, &s.H5, &s.H6,
		&s.Code, &s.Table.StyleBlock, &s.DefinitionList, &s.HTMLBlock, &s.HTMLSpan,
	} {
		list = append(list, &block.StylePrimitive)
	}
	return list
}

var yes, no = new(true), new(false)

func bold(s ansi.StylePrimitive) ansi.StylePrimitive {
	s.Bold = yes
	return s
}

func underlined(s ansi.StylePrimitive) ansi.StylePrimitive {
	s.Underline = yes
	return s
}

func plain(s ansi.StylePrimitive) ansi.StylePrimitive {
	s.Bold = no
	return s
}

func italic(s ansi.StylePrimitive) ansi.StylePrimitive {
	s.Italic = yes
	return s
}
