package markdown

// Source returns the text that block i was made of, up to where the next one
// begins. The sources of all blocks together are the text.
func (d *Document) Source(i int) string {
	d.sync()
	start := func(i int) int {
		switch {
		case i <= 0:
			return 0
		case i < len(d.blocks):
			return d.blocks[i].start
		case i == len(d.blocks) && d.hasOpen():
			return d.open
		}
		return len(d.text)
	}
	if i < 0 {
		return ""
	}
	return string(d.text[start(i):start(i+1)])
}
