package composer

import "slices"

// killDepth is how many kills are kept.
const killDepth = 30

// killRing keeps what was killed, the last one first. Kills that follow each other
// are one.
type killRing struct {
	texts []string
	// last is what the key before was, and now what the one at hand is.
	last, now killKey
	// The text that was yanked last is texts[at], and begins at from.
	at   int
	from pos
}

type killKey int

const (
	otherKey killKey = iota
	killKeyed
	yankKeyed
)

// turn says that another key, paste or click has come.
func (k *killRing) turn() { k.last, k.now = k.now, otherKey }

// push keeps text as a kill of its own.
func (k *killRing) push(text string) {
	if text == "" {
		return
	}
	if len(k.texts) == killDepth {
		k.texts = k.texts[:killDepth-1]
	}
	k.texts = slices.Insert(k.texts, 0, text)
}

// add keeps text that was killed before the cursor or behind it.
func (k *killRing) add(text string, before bool) {
	k.now = killKeyed
	switch {
	case text == "":
	case k.last != killKeyed || len(k.texts) == 0:
		k.push(text)
	case before:
		k.texts[0] = text + k.texts[0]
	default:
		k.texts[0] += text
	}
}

// kill deletes up to p, or what is selected, and keeps the text for ctrl+y.
func (c *Composer) kill(p pos) {
	_, _, selected := c.buf.span()
	before := p.before(c.buf.cur) && !selected
	if text := c.buf.erase(p); text != "" {
		c.kills.add(text, before)
	}
}

// yank inserts what was killed last.
func (c *Composer) yank() {
	if len(c.kills.texts) == 0 {
		return
	}
	k := &c.kills
	k.now, k.at = yankKeyed, 0
	k.from, _, _ = c.buf.span()
	c.buf.insert(k.texts[0])
}

// yankOlder puts the kill before in the place of the one that was just inserted.
func (c *Composer) yankOlder() {
	k := &c.kills
	if k.last != yankKeyed || len(k.texts) == 0 {
		return
	}
	k.now, k.at = yankKeyed, (k.at+1)%len(k.texts)
	c.buf.replace(k.from, c.buf.cur, k.texts[k.at])
}

// forget drops what has chips of a draft that is no more.
func (k *killRing) forget(c *chips) {
	k.texts = slices.DeleteFunc(k.texts, func(text string) bool { return c.expand(text, true) != text })
	k.last, k.now = otherKey, otherKey
}
