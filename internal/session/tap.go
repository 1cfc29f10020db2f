package session

// onLine is what sees every line on the wire: the tap and the ring. It is nil if there
// is neither.
func (o *Options) onLine() func(sent bool, line []byte) {
	switch {
	case o.Ring == nil:
		return o.Tap
	case o.Tap == nil:
		return o.Ring.Line
	}
	return func(sent bool, line []byte) {
		o.Tap(sent, line)
		o.Ring.Line(sent, line)
	}
}

// onStderr is what sees all that the agent writes to stderr, in the same manner.
func (o *Options) onStderr() func(data []byte) {
	switch {
	case o.Ring == nil:
		return o.TapStderr
	case o.TapStderr == nil:
		return o.Ring.Stderr
	}
	return func(data []byte) {
		o.TapStderr(data)
		o.Ring.Stderr(data)
	}
}

// stderrTap shows what an agent writes to stderr to a function.
type stderrTap func(data []byte)

// Write implements io.Writer. It never fails: the agent goes on whatever becomes of it.
func (show stderrTap) Write(data []byte) (int, error) {
	show(data)
	return len(data), nil
}
