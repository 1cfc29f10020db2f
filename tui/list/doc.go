// Package list has what lists and pages are made of: the window on rows of which one is
// marked, the filter by typed words, the line in which a person writes, words that are
// found in a text, and the frame of a page that takes the whole screen.
//
// A window knows how many rows there are and nothing about them, so that a list of
// hundreds of thousands costs as much as one of ten: whoever has the rows draws those that
// are in sight.
package list
