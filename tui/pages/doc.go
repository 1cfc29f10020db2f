// Package pages has the views that fill the screen: the review of changes and the
// protocol inspector.
package pages
