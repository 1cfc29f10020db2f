package linemode

import (
	"io"
	"testing"
	"testing/synctest"

	"parley/internal/test"
)

// console ends, and has more to read all the same, as a terminal has after ctrl+d.
type console struct{ reads int }

func (c *console) Read(p []byte) (int, error) {
	if c.reads++; c.reads == 1 {
		return 0, io.EOF
	}
	return copy(p, "more\n"), nil
}

// What has ended is not read again when another program gives it back.
func TestTheInputEndsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := newInput(&console{}, false)
		for range 2 {
			if err := in.start(); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if line, more := <-in.lines; more {
				t.Errorf("a line has come: %q", line.text)
			}
			in.stop()
		}
	})
}

func TestMain(m *testing.M) {
	test.HoldRegexpClock()
	m.Run()
}
