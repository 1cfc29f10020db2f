package screen

// Symbol is a character that parley draws, and its ASCII replacement.
type Symbol struct {
	Rune    rune
	ASCII   byte
	Meaning string
}

// SymbolGroup is a group of characters that appear side by side.
type SymbolGroup struct {
	Name string
	// Apart means that users distinguish these characters: no two of them have the same
	// replacement.
	Apart  bool
	Glyphs []Symbol
}

// SymbolGroups is the table. It uses characters that terminal fonts commonly have, and
// none from the blocks of technical or rare mathematical symbols.
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
	// Animations: Bubbles' spinner, and the strokes that replace it.
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
