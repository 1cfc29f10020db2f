package remote

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"parley/acpclient"
)

// events reads the messages of a stream of server-sent events: one from the data of
// each event. It skips everything else, such as keep-alive comments.
type events struct {
	r   *bufio.Reader
	max int // bytes of a message

	middle bool // the next bytes continue a line
	skip   bool // that line is not data
}

func newEvents(r io.Reader, most int) *events {
	return &events{r: bufio.NewReaderSize(r, readBuffer), max: most}
}

// next waits for the next message. It refuses only a message that is too long, not the
// stream. As the format requires, it drops what follows the last complete event.
func (e *events) next() ([]byte, error) {
	var data []byte
	size, has := 0, false
	for {
		part, err := e.r.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
		whole := err == nil
		if whole {
			part = bytes.TrimSuffix(part[:len(part)-1], []byte("\r"))
		}
		if !e.middle {
			switch {
			case whole && len(part) == 0 && size > e.max:
				return nil, fmt.Errorf("%w: an event of %d bytes, the bound is %d", acpclient.ErrMessageRefused, size, e.max)
			case whole && len(part) == 0 && len(data) > 0:
				return data, nil
			}
			value, ok := bytes.CutPrefix(part, []byte("data:"))
			if part, e.skip = bytes.TrimPrefix(value, []byte(" ")), !ok; ok && has {
				data, size = append(data, '\n'), size+1
			}
			has = has || ok
		}
		if !e.skip {
			if size += len(part); size <= e.max {
				data = append(data, part...)
			} else {
				data = nil
			}
		}
		e.middle = !whole
	}
}
