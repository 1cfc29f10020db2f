package linemode

import (
	"testing"
	"testing/synctest"
	"time"
)

// What was done beside is taken however long the program is busy with something else, such
// as one that it has left the terminal to. Nothing waits for a program that has ended.
func TestWhatWasDoneBesideIsNotLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &program{ctx: t.Context(), calls: make(chan func()), gone: make(chan struct{})}
		done := false
		p.inBackground(func() func() { return func() { done = true } })
		time.Sleep(time.Hour) // of the bubble
		select {
		case do := <-p.calls:
			do()
		default:
		}
		if !done {
			t.Error("what was done beside is lost")
		}
		p.inBackground(func() func() { return func() {} })
		close(p.gone)
	})
}
