//go:build !linux && !darwin

package sandbox

var ways []way
