package termtext

import "sync/atomic"

// Method is a way to measure text. Its methods do not depend on the current one.
type Method uint8

const (
	// Safe reserves as much space for each character as any terminal takes: the sum of
	// its code points' widths or the width of the whole, whichever is larger. It is for
	// terminals that have not said what they do.
	Safe Method = iota
	// Graphemes is for terminals with mode 2027. Characters take one or two columns.
	// Where such terminals differ (vowel signs and conjuncts of Indic scripts, for
	// instance), it reserves the larger width.
	Graphemes
)

var current atomic.Uint32

// UseMethod sets the method of the process, once the terminal has said what it does. It
// is safe for concurrent use; whoever compares [Layout]s lays out earlier lines again.
// A test that calls it must restore the former method and must not run in parallel.
func UseMethod(m Method) { current.Store(uint32(m)) }

// CurrentMethod returns the method of the process.
func CurrentMethod() Method { return Method(current.Load()) }

// Layout identifies what lines were laid out for: lines for one layout are unusable for
// another. The zero Layout means that there are no lines.
type Layout struct {
	width  int
	method Method
	known  bool
}

// NewLayout returns the layout of lines of a width, in cells, with the current method.
func NewLayout(width int) Layout { return Layout{width, CurrentMethod(), true} }

// NextCluster is [Method.Next] with the current method.
func NextCluster(s string) (n, width int) { return CurrentMethod().Next(s) }

// Width is [Method.Width] with the current method.
func Width(s string) int { return CurrentMethod().Width(s) }

// Fit is [Method.Fit] with the current method.
func Fit(s string, room, width int) (n, used int) { return CurrentMethod().Fit(s, room, width) }

// Truncate is [Method.Truncate] with the current method.
func Truncate(s string, width int, tail string) string {
	return CurrentMethod().Truncate(s, width, tail)
}

// TruncateStart is [Method.TruncateStart] with the current method.
func TruncateStart(s string, width int, lead string) string {
	return CurrentMethod().TruncateStart(s, width, lead)
}

// ExpandTabs is [Method.ExpandTabs] with the current method.
func ExpandTabs(s string, stop int) string { return CurrentMethod().ExpandTabs(s, stop) }

// Wrap is [Method.Wrap] with the current method.
func Wrap(s string, width int) []string { return CurrentMethod().Wrap(s, width) }

// Break is [Method.Break] with the current method.
func Break(s string, width int) []string { return CurrentMethod().Break(s, width) }
