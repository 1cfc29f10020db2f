package session

// onLine returns a function for the tap and the ring that sees every line on the wire,
// nil if there is neither.
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

// onStderr returns the same for the agent's stderr.
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

// stderrTap passes the agent's stderr to a function.
type stderrTap func(data []byte)

// Write implements io.Writer. It never fails.
func (show stderrTap) Write(data []byte) (int, error) {
	show(data)
	return len(data), nil
}
