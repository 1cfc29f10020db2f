package screen

// Glyph is a character that parley draws, and the one that stands for it.
type Symbol struct {
	Rune    rune
	ASCII   byte
	Meaning string
}

// Group is characters that are seen beside each other.
type SymbolGroup struct {
	Name string
	// Apart says that a person tells things apart by these characters: no two of them
	// have the same one in ASCII.
	Apart  bool
	Glyphs []Symbol
}

// Groups is the table. The characters are of those that the fonts of terminals commonly
// have: none is of a block of technical or of rare mathematical signs.
var SymbolGroups = []SymbolGroup{
	{"states", true, []Symbol{
		{'✓', '+', "done"},
		{'✗', 'x', "failed"},
		{'◐', '~', "under way"},
		{'○', 'o', "not begun, not chosen"},
		{'●', '*', "what holds now, chosen"},
		{'⊘', '-', "cancelled"},
		{'†', '!', "the agent has gone"},
		{'»', '>', "waits to be sent"},
	}},
	{"kinds of tool calls, and what stands in the margin", true, []Symbol{
		{'◇', 'r', "read"},
		{'✎', 'e', "edit"},
		{'×', 'd', "delete"},
		{'→', '>', "move, leads to"},
		{'◎', 's', "search"},
		{'✻', '*', "think"},
		{'↓', 'v', "fetch, further down"},
		{'↔', '=', "switch the mode"},
		{'•', '-', "a thing among others"},
		{'≡', '#', "plan"},
		{'▼', 'V', "the conversation was made shorter"},
		{'▣', '@', "image"},
	}},
	{"arrows", false, []Symbol{
		{'↑', '^', "further up"},
		{'↕', '|', "up and down"},
		{'←', '<', "further left"},
		{'‹', '<', "more before"},
		{'›', '>', "more behind"},
	}},
	{"marks", false, []Symbol{
		{'❯', '>', "where the person is"},
		{'▸', '>', "folded"},
		{'▾', 'v', "unfolded"},
		{'♣', 'Y', "a worktree that was made for sessions"},
		{'▌', '|', "the selected lines"},
		{'□', 'o', "not ticked"},
		{'■', '*', "ticked"},
		{'◦', 'o', "an item of a list, one deeper"},
		{'▪', '+', "an item of a list, two deeper"},
		{'⟨', '<', "begins what is not shown as it is"},
		{'⟩', '>', "ends what is not shown as it is"},
	}},
	{"signs in texts", false, []Symbol{
		{'…', '~', "something was cut off, or is under way"},
		{'·', '.', "between things in a line"},
		{'−', '-', "lines taken away"},
		{'–', '-', "from, to"},
		{'—', '-', "a pause"},
		{'¦', '|', "a line of code goes on"},
		{'“', '"', "quotes"},
		{'”', '"', "quotes"},
		{'‘', '\'', "quotes"},
		{'’', '\'', "quotes"},
		{'§', '$', "a section"},
		{'€', 'E', "euros"},
		{'£', 'L', "pounds"},
		{'\u00a0', ' ', "a blank at which no line breaks"},
		{'�', '?', "a character that was none"},
	}},
	{"lines", false, []Symbol{
		{'─', '-', "a line"},
		{'━', '=', "a bar that is full"},
		{'╌', '-', "a line that is interrupted"},
		{'│', '|', "a line"},
		{'┃', '|', "a line of a dialog, or of what the person wrote"},
		{'┼', '+', "crossing lines"},
		{'├', '+', "a line that branches"},
		{'┤', '+', "a line that branches"},
		{'┬', '+', "a line that branches"},
		{'┴', '+', "a line that branches"},
		{'╭', '+', "a corner"},
		{'╮', '+', "a corner"},
		{'╰', '+', "a corner"},
		{'╯', '+', "a corner"},
		{'┌', '+', "a corner"},
		{'┐', '+', "a corner"},
		{'└', '+', "a corner"},
		{'┘', '+', "a corner"},
	}},
	{"pictures", false, []Symbol{
		{'▀', '"', "the upper half of a cell"},
		{'▄', '_', "the lower half of a cell"},
		{'█', '#', "a whole cell"},
	}},
	// What moves: Bubbles' spinner, and the strokes that turn in its place.
	{"spinner", false, []Symbol{
		{'⠋', '|', ""},
		{'⠙', '/', ""},
		{'⠹', '-', ""},
		{'⠸', '\\', ""},
		{'⠼', '|', ""},
		{'⠴', '/', ""},
		{'⠦', '-', ""},
		{'⠧', '\\', ""},
		{'⠇', '|', ""},
		{'⠏', '/', ""},
	}},
}
