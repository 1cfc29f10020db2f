//go:build !linux && !darwin

package sandbox

var backends []backend
