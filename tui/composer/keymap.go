package composer

import "strings"

// editing are the keys of readline, and those that people know from elsewhere.
// A key that the configuration gives to an action of parley is not looked up
// here.
var editing = map[string]func(*Composer, *buffer){
	"left":       func(_ *Composer, b *buffer) { b.move(b.left(b.cur)) },
	"ctrl+b":     func(_ *Composer, b *buffer) { b.move(b.left(b.cur)) },
	"right":      func(_ *Composer, b *buffer) { b.move(b.right(b.cur)) },
	"ctrl+f":     func(_ *Composer, b *buffer) { b.move(b.right(b.cur)) },
	"alt+left":   func(_ *Composer, b *buffer) { b.move(b.wordLeft(b.cur)) },
	"ctrl+left":  func(_ *Composer, b *buffer) { b.move(b.wordLeft(b.cur)) },
	"alt+b":      func(_ *Composer, b *buffer) { b.move(b.wordLeft(b.cur)) },
	"alt+right":  func(_ *Composer, b *buffer) { b.move(b.wordRight(b.cur)) },
	"ctrl+right": func(_ *Composer, b *buffer) { b.move(b.wordRight(b.cur)) },
	"alt+f":      func(_ *Composer, b *buffer) { b.move(b.wordRight(b.cur)) },
	"home":       func(_ *Composer, b *buffer) { b.move(b.lineStart()) },
	"ctrl+a":     func(_ *Composer, b *buffer) { b.move(b.lineStart()) },
	"end":        func(_ *Composer, b *buffer) { b.move(b.lineEnd()) },
	"ctrl+e":     func(_ *Composer, b *buffer) { b.move(b.lineEnd()) },
	"alt+<":      func(_ *Composer, b *buffer) { b.move(pos{}) },
	"alt+>":      func(_ *Composer, b *buffer) { b.move(b.last()) },
	"up":         func(c *Composer, b *buffer) { b.vertical(-1, c.textWidth()) },
	"down":       func(c *Composer, b *buffer) { b.vertical(1, c.textWidth()) },

	"backspace":       func(_ *Composer, b *buffer) { b.cut(b.left(b.cur)) },
	"shift+backspace": func(_ *Composer, b *buffer) { b.cut(b.left(b.cur)) },
	"ctrl+h":          func(_ *Composer, b *buffer) { b.cut(b.left(b.cur)) },
	"delete":          func(_ *Composer, b *buffer) { b.cut(b.right(b.cur)) },
	"ctrl+d":          func(_ *Composer, b *buffer) { b.cut(b.right(b.cur)) },

	"ctrl+w":         func(c *Composer, b *buffer) { c.kill(b.spaceLeft(b.cur)) },
	"alt+backspace":  func(c *Composer, b *buffer) { c.kill(b.wordLeft(b.cur)) },
	"ctrl+backspace": func(c *Composer, b *buffer) { c.kill(b.wordLeft(b.cur)) },
	"alt+d":          func(c *Composer, b *buffer) { c.kill(b.wordRight(b.cur)) },
	"alt+delete":     func(c *Composer, b *buffer) { c.kill(b.wordRight(b.cur)) },
	"ctrl+delete":    func(c *Composer, b *buffer) { c.kill(b.wordRight(b.cur)) },
	"ctrl+k":         func(c *Composer, b *buffer) { c.kill(orElse(b, b.lineEnd(), b.right)) },
	"ctrl+u":         func(c *Composer, b *buffer) { c.kill(orElse(b, b.lineStart(), b.left)) },
	"ctrl+y":         func(c *Composer, b *buffer) { b.replace(b.cur, b.cur, c.killed) },

	"ctrl+t": func(_ *Composer, b *buffer) { b.swap() },
	"alt+u":  func(_ *Composer, b *buffer) { b.recase(strings.ToUpper) },
	"alt+l":  func(_ *Composer, b *buffer) { b.recase(strings.ToLower) },
	"alt+c":  func(_ *Composer, b *buffer) { b.recase(capitalize) },

	"ctrl+_":       func(_ *Composer, b *buffer) { b.takeBack() },
	"ctrl+z":       func(_ *Composer, b *buffer) { b.takeBack() },
	"ctrl+shift+z": func(_ *Composer, b *buffer) { b.doAgain() },
	"alt+z":        func(_ *Composer, b *buffer) { b.doAgain() },

	"alt+enter": func(_ *Composer, b *buffer) { b.replace(b.cur, b.cur, "\n") },
}

// orElse is the place to, or, if the cursor is there already, the place beyond it,
// so that killing at the end of a line joins it with the next.
func orElse(b *buffer, to pos, beyond func(pos) pos) pos {
	if to == b.cur {
		return beyond(b.cur)
	}
	return to
}

// kill deletes up to p and keeps the text for ctrl+y.
func (c *Composer) kill(p pos) {
	if text := c.buf.cut(p); text != "" {
		c.killed = text
	}
}
