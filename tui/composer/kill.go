package composer

import (
	"slices"

	"parley/tui/composer/vim"
)

// killDepth bounds the kill ring.
const killDepth = 30

// killRing keeps killed text, the latest first. Consecutive kills are one.
type killRing struct {
	texts []string
	// last is the kind of the previous key, and now that of the current one.
	last, now killKey
	// The last yanked text is texts[at], and begins at from.
	at   int
	from vim.Pos
}

type killKey int

const (
	otherKey killKey = iota
	killKeyed
	yankKeyed
)

// turn records another key, paste or click.
func (k *killRing) turn() { k.last, k.now = k.now, otherKey }

// push adds text as a kill of its own.
func (k *killRing) push(text string) {
	if text == "" {
		return
	}
	if len(k.texts) == killDepth {
		k.texts = k.texts[:killDepth-1]
	}
	k.texts = slices.Insert(k.texts, 0, text)
}

// add adds text that was killed before or after the cursor.
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

// kill deletes up to p, or the selection, and keeps the text for ctrl+y.
func (k *killRing) kill(b *buffer, p vim.Pos) {
	_, _, selected := b.selection()
	before := p.Before(b.cur) && !selected
	if text := b.erase(p); text != "" {
		k.add(text, before)
	}
}

// yank inserts the latest kill.
func (k *killRing) yank(b *buffer) {
	if len(k.texts) == 0 {
		return
	}
	k.now, k.at = yankKeyed, 0
	k.from, _, _ = b.selection()
	b.insert(k.texts[0])
}

// yankOlder replaces the text just yanked by the kill before it.
func (k *killRing) yankOlder(b *buffer) {
	if k.last != yankKeyed || len(k.texts) == 0 {
		return
	}
	k.now, k.at = yankKeyed, (k.at+1)%len(k.texts)
	b.Replace(k.from, b.cur, k.texts[k.at])
}

// forget drops kills with chips of a discarded draft.
func (k *killRing) forget(c *chips) {
	k.texts = slices.DeleteFunc(k.texts, func(text string) bool { return c.expand(text, true) != text })
	k.last, k.now = otherKey, otherKey
}
