// Package desktop accesses what is beside the terminal: the clipboard, the editor,
// notifications, and images.
package desktop
