package toolview

import (
	"fmt"
	"time"
)

// Elapsed formats the time that something has been running, like a clock.
func Elapsed(d time.Duration) string {
	s := int(d.Seconds())
	switch {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm %02ds", s/60, s%60)
	}
	return fmt.Sprintf("%dh %02dm", s/3600, s/60%60)
}

// Took formats the time that something took, with tenths of a second where they matter.
func Took(d time.Duration) string {
	if tenths := int(d / (100 * time.Millisecond)); tenths < 100 {
		return fmt.Sprintf("%d.%ds", tenths/10, tenths%10)
	}
	return Elapsed(d)
}
