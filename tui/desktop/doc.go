// Package desktop is what lies beside the terminal: the clipboard, the editor,
// notifications, and images.
package desktop
