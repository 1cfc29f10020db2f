// Package termtext makes text fit for a terminal: it strips what could control the
// terminal from foreign text, measures how wide text is there, and cuts and wraps it.
package termtext
