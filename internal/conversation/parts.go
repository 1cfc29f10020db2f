package conversation

import (
	"bytes"
	"reflect"
	"unsafe"

	"parley/acpclient"
)

// Parts are the content of a message as it grows: text, with other content
// blocks in between.
type Parts []Part

// Part is text, or a block.
type Part struct {
	text []byte
	// Block is content that is not text, or text whose annotations say that it is
	// not for the person; nil if the part is text.
	Block *acpclient.ContentBlock
}

// Text is the text of the part so far. What was returned once stays as it is when
// the part grows.
func (p *Part) Text() string { return unsafe.String(unsafe.SliceData(p.text), len(p.text)) }

// Plain is all the text, without the other blocks.
func (ps Parts) Plain() string {
	if len(ps) == 1 {
		return ps[0].Text()
	}
	var all []byte
	for i := range ps {
		all = append(all, ps[i].text...)
	}
	return string(all)
}

// goOn reports whether these are parts that there were, and perhaps more behind them.
func (ps Parts) goOn(before Parts) bool {
	if len(ps) < len(before) {
		return false
	}
	for i := range before {
		was, is := &before[i], &ps[i]
		switch {
		case !reflect.DeepEqual(was.Block, is.Block), !bytes.HasPrefix(is.text, was.text):
			return false
		case i < len(before)-1 && len(is.text) > len(was.text):
			return false
		}
	}
	return true
}

// add appends a block: to the text, if it is text for the person.
func (ps *Parts) add(b acpclient.ContentBlock) {
	if b.Type == acpclient.ContentText && b.Annotations.ForUser() {
		ps.addText(b.Text)
		return
	}
	*ps = append(*ps, Part{Block: &b})
}

// addText appends in amortised constant time: bytes that were handed out as a
// string are never written to again, only those behind them.
func (ps *Parts) addText(text string) {
	if n := len(*ps); n == 0 || (*ps)[n-1].Block != nil {
		*ps = append(*ps, Part{})
	}
	p := &(*ps)[len(*ps)-1]
	p.text = append(p.text, text...)
}
