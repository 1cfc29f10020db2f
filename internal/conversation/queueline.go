package conversation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"slices"
)

// In a log, a queue leaves out the prompts at its beginning and its end that the queue before it has, too:
//
//	{"v":2,"event":"queue_changed","kept":[2,5],"of":1234,"data":{…}}
//
// These are the first 2 and the last 5 prompts of the queue in the line whose CRC-32 is "of"; the data have those between.

const queueHead = `{"v":2,"event":"queue_changed","kept":`

// queueLine is the last line of a log with a queue.
type queueLine struct {
	prompts    []QueuedPrompt
	sum        uint32
	all, since int // bytes of the last line with all prompts, and of those after it
}

func (l *queueLine) is(line []byte, prompts []QueuedPrompt, all bool) {
	l.prompts, l.sum, l.since = prompts, crc32.ChecksumIEEE(line), l.since+len(line)
	if all {
		l.all, l.since = len(line), 0
	}
}

// is reports whether two prompts of queues are the same one, unchanged. Nobody changes what its slices have.
func (q *QueuedPrompt) is(o *QueuedPrompt) bool {
	return q.ID == o.ID && q.Ref == o.Ref && q.Now == o.Now && q.Steering == o.Steering && q.Unsure == o.Unsure && q.Waits == o.Waits &&
		q.Reading == o.Reading && same(q.Prompt, o.Prompt) && same(q.Files, o.Files) && same(q.Folds, o.Folds)
}

// same reports whether two slices are one.
func same[T any](a, b []T) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

func (r *Repeats) appendQueue(dst []byte, e QueueChanged) ([]byte, error) {
	was, now := r.queue.prompts, e.Queue
	most, first, last := min(len(was), len(now)), 0, 0
	if r.queue.since > r.queue.all { // so that damage does not cost all that follow
		most = 0
	}
	for first < most && was[first].is(&now[first]) {
		first++
	}
	for first+last < most && was[len(was)-1-last].is(&now[len(now)-1-last]) {
		last++
	}
	e.Queue = now[first : len(now)-last]
	line, err := AppendEncode(dst, e)
	if err != nil {
		return line, err
	}
	if first+last > 0 {
		_, _, data := plainLine(bytes.Clone(line[len(dst):]))
		line = fmt.Appendf(line[:len(dst)], `%s[%d,%d],"of":%d%s%s}`, queueHead, first, last, r.queue.sum, dataKey, data)
	}
	r.queue.is(line[len(dst):], now, first+last == 0)
	return line, nil
}

// decodeQueue reads a queue. With nil repeats, the prompts that are left out are empty.
func (r *Repeats) decodeQueue(line []byte) (Event, error) {
	var l struct {
		Kept [2]int
		Of   uint32
		Data json.RawMessage
	}
	if err := json.Unmarshal(line, &l); err != nil {
		return nil, fmt.Errorf("decode a queue: %w", err)
	}
	e, err := kindNamed("queue_changed").decode(nil, l.Data)
	if err != nil {
		return nil, err
	}
	q, first, last := e.(QueueChanged), l.Kept[0], l.Kept[1]
	was := queueLine{prompts: make([]QueuedPrompt, min(max(first, last, 0), 1<<20)), sum: l.Of}
	if r != nil {
		was = r.queue
	}
	if min(first, last) < 0 || max(first, last) > len(was.prompts) || was.sum != l.Of {
		return nil, ErrRepeats
	}
	q.Queue = slices.Concat(was.prompts[:first], q.Queue, was.prompts[len(was.prompts)-last:])
	if r != nil {
		r.queue.is(line, q.Queue, false)
	}
	return q, nil
}
