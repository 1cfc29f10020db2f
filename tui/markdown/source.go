package markdown

// Source returns the text of block i, up to the beginning of the next one. The sources
// of all blocks together are the text.
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
