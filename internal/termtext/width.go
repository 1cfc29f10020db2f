// This file is the one place that knows how wide text is on the screen. It
// measures, cuts and wraps text in cells, the columns of a terminal.
//
// Terminals do not agree on that. One kind sums up the widths of code points, as
// wcwidth(3) gives them: a thumb with a skin tone takes four columns there. The
// other kind draws what a person sees as one character (a grapheme cluster) in
// one or two columns, and says so when it is asked for mode 2027. A program that
// plans for the one and meets the other writes beyond the end of the line, where
// text is lost: a part of a command, for instance, that somebody is asked to
// allow. So there are two ways to measure, see [Method], and both leave more room
// where it is not known what a terminal does, never less.
//
// There is one terminal for each process, and so one method that counts, which
// the functions of the package use. It is [Safe] until the terminal has answered,
// see [Use]. Whoever keeps lines that were laid out keeps the [Layout] with them.

package termtext

import "sync/atomic"

// Method is how text is measured. Its methods do not depend on the one in use.
type Method uint8

const (
	// Safe leaves as much room for each character as any terminal takes for it:
	// the sum of its code points' widths, or the width of the whole, whichever
	// is larger. It is for terminals that have not said what they do.
	Safe Method = iota
	// Graphemes is for terminals that have mode 2027. Characters take one or two
	// columns. Where such terminals differ (vowel signs and conjuncts of Indic
	// scripts, for instance), there is room for the larger width.
	Graphemes
)

var current atomic.Uint32

// Use makes m the method of the process. It may be called at any time from any
// goroutine; what was laid out before is laid out anew by those who compare
// [Layout]s. The program calls it when the terminal has said what it does. A
// test that calls it must put the former method back and not run beside others.
func UseMethod(m Method) { current.Store(uint32(m)) }

// Current is the method of the process.
func CurrentMethod() Method { return Method(current.Load()) }

// Layout is what lines are laid out for: lines that were made for one are of no
// use for another. The zero Layout is that of no lines.
type Layout struct {
	width  int
	method Method
	known  bool
}

// NewLayout is the layout of lines of a width, in cells, with the method in use.
func NewLayout(width int) Layout { return Layout{width, CurrentMethod(), true} }

// Next is [Method.Next] with the method in use.
func NextCluster(s string) (n, width int) { return CurrentMethod().Next(s) }

// Width is [Method.Width] with the method in use.
func Width(s string) int { return CurrentMethod().Width(s) }

// Fit is [Method.Fit] with the method in use.
func Fit(s string, room, width int) (n, used int) { return CurrentMethod().Fit(s, room, width) }

// FitEnd is [Method.FitEnd] with the method in use.
func FitEnd(s string, width int) (from, used int) { return CurrentMethod().FitEnd(s, width) }

// Truncate is [Method.Truncate] with the method in use.
func Truncate(s string, width int, tail string) string {
	return CurrentMethod().Truncate(s, width, tail)
}

// TruncateStart is [Method.TruncateStart] with the method in use.
func TruncateStart(s string, width int, lead string) string {
	return CurrentMethod().TruncateStart(s, width, lead)
}

// ExpandTabs is [Method.ExpandTabs] with the method in use.
func ExpandTabs(s string, stop int) string { return CurrentMethod().ExpandTabs(s, stop) }

// Wrap is [Method.Wrap] with the method in use.
func Wrap(s string, width int) []string { return CurrentMethod().Wrap(s, width) }

// Break is [Method.Break] with the method in use.
func Break(s string, width int) []string { return CurrentMethod().Break(s, width) }

// Word is [Method.Word] with the method in use.
func Word(s string) (n, width int, wide bool) { return CurrentMethod().Word(s) }
