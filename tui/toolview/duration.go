package toolview

import (
	"fmt"
	"time"
)

// Elapsed says how long something goes on, as a clock would.
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

// Took says how long something took that is over, with tenths of a second where
// they tell something.
func Took(d time.Duration) string {
	if tenths := int(d / (100 * time.Millisecond)); tenths < 100 {
		return fmt.Sprintf("%d.%ds", tenths/10, tenths%10)
	}
	return Elapsed(d)
}
