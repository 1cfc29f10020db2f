package composer

import (
	"strings"

	"parley/tui/composer/vim"
)

// editKey is what a key does to the draft.
type editKey struct {
	do func(*Composer, *buffer)
	// moves means that it only moves the cursor, which ends a selection.
	moves bool
}

// editing are the keys of readline, and other common ones. A key that the configuration
// binds to an action is not looked up here.
var editing = map[string]editKey{
	"left":       {func(_ *Composer, b *buffer) { b.collapse(b.left(b.cur), true) }, true},
	"right":      {func(_ *Composer, b *buffer) { b.collapse(b.right(b.cur), false) }, true},
	"ctrl+b":     moving(func(b *buffer) vim.Pos { return b.left(b.cur) }),
	"ctrl+f":     moving(func(b *buffer) vim.Pos { return b.right(b.cur) }),
	"alt+left":   moving(func(b *buffer) vim.Pos { return b.wordLeft(b.cur) }),
	"ctrl+left":  moving(func(b *buffer) vim.Pos { return b.wordLeft(b.cur) }),
	"alt+b":      moving(func(b *buffer) vim.Pos { return b.wordLeft(b.cur) }),
	"alt+right":  moving(func(b *buffer) vim.Pos { return b.wordRight(b.cur) }),
	"ctrl+right": moving(func(b *buffer) vim.Pos { return b.wordRight(b.cur) }),
	"alt+f":      moving(func(b *buffer) vim.Pos { return b.wordRight(b.cur) }),
	"home":       moving((*buffer).lineStart),
	"ctrl+a":     moving((*buffer).lineStart),
	"end":        moving((*buffer).lineEnd),
	"ctrl+e":     moving((*buffer).lineEnd),
	"alt+<":      moving(func(*buffer) vim.Pos { return pos(0, 0) }),
	"alt+>":      moving((*buffer).last),
	"up":         {func(c *Composer, b *buffer) { b.vertical(-1, c.textWidth()) }, true},
	"down":       {func(c *Composer, b *buffer) { b.vertical(1, c.textWidth()) }, true},

	"backspace":       erasing((*buffer).left),
	"shift+backspace": erasing((*buffer).left),
	"ctrl+h":          erasing((*buffer).left),
	"delete":          erasing((*buffer).right),
	"ctrl+d":          erasing((*buffer).right),

	"ctrl+w":         killing((*buffer).spaceLeft),
	"alt+backspace":  killing((*buffer).wordLeft),
	"ctrl+backspace": killing((*buffer).wordLeft),
	"alt+d":          killing((*buffer).wordRight),
	"alt+delete":     killing((*buffer).wordRight),
	"ctrl+delete":    killing((*buffer).wordRight),
	"ctrl+k":         killing(func(b *buffer, at vim.Pos) vim.Pos { return orElse(at, b.lineEnd(), b.right) }),
	"ctrl+u":         killing(func(b *buffer, at vim.Pos) vim.Pos { return orElse(at, b.lineStart(), b.left) }),
	"ctrl+y":         {do: func(c *Composer, b *buffer) { c.kills.yank(b) }},
	"alt+y":          {do: func(c *Composer, b *buffer) { c.kills.yankOlder(b) }},

	"ctrl+t": {do: func(_ *Composer, b *buffer) { b.swap() }},
	"alt+u":  {do: func(_ *Composer, b *buffer) { b.recase(strings.ToUpper) }},
	"alt+l":  {do: func(_ *Composer, b *buffer) { b.recase(strings.ToLower) }},
	"alt+c":  {do: func(_ *Composer, b *buffer) { b.recase(capitalize) }},

	"ctrl+_":       {do: func(_ *Composer, b *buffer) { b.Undo() }},
	"ctrl+/":       {do: func(_ *Composer, b *buffer) { b.Undo() }},
	"alt+_":        {do: func(_ *Composer, b *buffer) { b.Redo() }},
	"alt+/":        {do: func(_ *Composer, b *buffer) { b.Redo() }},
	"alt+z":        {do: func(_ *Composer, b *buffer) { b.Redo() }},
	"ctrl+shift+z": {do: func(_ *Composer, b *buffer) { b.Redo() }},

	"alt+enter": {do: func(_ *Composer, b *buffer) { b.insert("\n") }},
}

func moving(to func(*buffer) vim.Pos) editKey {
	return editKey{func(_ *Composer, b *buffer) { b.Move(to(b)) }, true}
}

func erasing(to func(*buffer, vim.Pos) vim.Pos) editKey {
	return editKey{do: func(_ *Composer, b *buffer) { b.erase(to(b, b.cur)) }}
}

func killing(to func(*buffer, vim.Pos) vim.Pos) editKey {
	return editKey{do: func(c *Composer, b *buffer) { c.kills.kill(b, to(b, b.cur)) }}
}

// The keys that copy and cut the selection. Without one they have no other meaning.
var (
	copying = map[string]bool{"ctrl+c": true, "ctrl+insert": true, "ctrl+shift+c": true, "super+c": true}
	cutting = map[string]bool{"ctrl+x": true, "shift+delete": true, "ctrl+shift+x": true, "super+x": true}
)

// orElse returns to, or the position beyond it if the cursor is already there, so that
// killing at the end of a line joins it with the next.
func orElse(at, to vim.Pos, beyond func(vim.Pos) vim.Pos) vim.Pos {
	if to == at {
		return beyond(at)
	}
	return to
}
