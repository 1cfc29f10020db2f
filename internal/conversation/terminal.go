package conversation

import "parley/acpclient"

// terminalKeep is how many bytes of a terminal's output are kept at least; up
// to twice as many may be.
const terminalKeep = 2 << 20

// Terminal is a command and what it printed.
type Terminal struct {
	ID      acpclient.TerminalID
	Command string
	Cwd     string
	// Own says that the agent runs the command itself and only shows it: its
	// output has bare line feeds.
	Own bool
	// Exit is nil while the command runs.
	Exit *acpclient.TerminalExitStatus

	total int64
	buf   []byte // the end of the output
	users []*ToolCall
}

// Total is the number of bytes that were printed.
func (t *Terminal) Total() int64 { return t.total }

// Since returns the output from an offset on, raw. whole is false if what was
// printed there first is not kept any more. The bytes must not be changed.
func (t *Terminal) Since(offset int64) (data []byte, whole bool) {
	start := t.total - int64(len(t.buf))
	if offset < start {
		return t.buf, false
	}
	return t.buf[min(offset-start, int64(len(t.buf))):], true
}

func (t *Terminal) write(data []byte) {
	t.total += int64(len(data))
	t.buf = append(t.buf, data...)
	if len(t.buf) > 2*terminalKeep {
		t.buf = append([]byte(nil), t.buf[len(t.buf)-terminalKeep:]...)
	}
	t.changed()
}

func (t *Terminal) changed() {
	for _, u := range t.users {
		u.changed()
	}
}
