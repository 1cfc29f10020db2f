// Package termtext makes text fit for a terminal: it removes control sequences and
// invisible characters from untrusted text, measures how many cells text takes, and
// cuts and wraps it.
//
// All text from outside (the agent, files, programs) passes through it before it is
// drawn. No other package measures text.
//
// # Widths
//
// Terminals disagree about widths. Some add up the widths of code points, as wcwidth(3)
// gives them: a thumb with a skin tone takes four columns there. Others draw a grapheme
// cluster in one or two columns, and say so when asked for mode 2027. A program that
// expects one kind and meets the other writes past the end of the line, where text is
// lost: part of a command, for instance, that the user is asked to allow. So there are
// two ways to measure, see [Method], and both reserve more space where a terminal's
// behaviour is unknown, never less.
//
// A process has one terminal, and so one current method, which the functions of the
// package use. It is [Safe] until the terminal has answered, see [UseMethod]. Whoever
// keeps lines that were laid out keeps their [Layout] with them.
package termtext
