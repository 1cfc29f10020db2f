package conversation

import (
	"cmp"
	"maps"
	"slices"
)

// In a log, a queue leaves out the prompts that the queue before it has, too:
//
//	{"v":2,"event":"queue_changed","data":{"queue":[…],"order":[[3,9],[2,2]]}}
//
// The queue has the prompts whose IDs are 3 to 9, then 2. Those that are not in the data are in the queue of the line
// before. So a line that is lost takes only its own prompts with it, and brings none back.

const queueHead = `{"v":2,"event":"queue_changed",`

// is reports whether two prompts of queues are the same one, unchanged. Nobody changes what its slices have.
func (q *QueuedPrompt) is(o *QueuedPrompt) bool {
	return q.ID == o.ID && q.Ref == o.Ref && q.Now == o.Now && q.Steering == o.Steering && q.Unsure == o.Unsure && q.Waits == o.Waits &&
		q.Reading == o.Reading && same(q.Prompt, o.Prompt) && same(q.Files, o.Files) && same(q.Folds, o.Folds)
}

// same reports whether two slices are one.
func same[T any](a, b []T) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// byID returns the prompts of a queue by their IDs.
func byID(queue []QueuedPrompt) map[int]*QueuedPrompt {
	all := make(map[int]*QueuedPrompt, len(queue))
	for i := range queue {
		all[queue[i].ID] = &queue[i]
	}
	return all
}

func (r *Repeats) appendQueue(dst []byte, e QueueChanged) ([]byte, error) {
	now, own, order := e.Queue, []QueuedPrompt(nil), [][2]int(nil)
	for _, q := range now {
		if was := r.queue[q.ID]; was == nil || !was.is(&q) {
			own = append(own, q)
		}
		if n := len(order); n > 0 && order[n-1][1]+1 == q.ID {
			order[n-1][1]++
		} else {
			order = append(order, [2]int{q.ID, q.ID})
		}
	}
	if len(own) < len(now) {
		e.Queue, e.Order = own, order
	}
	line, err := AppendEncode(dst, e)
	if err != nil {
		return line, err
	}
	if r.queue = byID(now); e.Order != nil {
		copy(line[len(dst):], queueHead)
	}
	return line, nil
}

// Count returns how many prompts a queue has, also if its line leaves some out.
func (e QueueChanged) Count() (n int) {
	for _, run := range e.Order {
		n += run[1] - run[0] + 1
	}
	return cmp.Or(n, len(e.Queue))
}

// whole returns a queue with the prompts that its line leaves out.
func (r *Repeats) whole(q QueueChanged) QueueChanged {
	if q.Order != nil {
		known := byID(q.Queue)
		for id, was := range r.queue {
			known[id] = cmp.Or(known[id], was)
		}
		ids, all := slices.Sorted(maps.Keys(known)), []QueuedPrompt(nil)
		for _, run := range q.Order {
			for i, _ := slices.BinarySearch(ids, run[0]); i < len(ids) && ids[i] <= run[1] && known[ids[i]] != nil; i++ {
				all = append(all, *known[ids[i]])
				delete(known, ids[i]) // each is there once
			}
		}
		q.Queue, q.Order = all, nil
	}
	r.queue = byID(q.Queue)
	return q
}
