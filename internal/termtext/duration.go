package termtext

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

// Took is Elapsed with tenths of a second where they matter.
func Took(d time.Duration) string {
	if tenths := int(d / (100 * time.Millisecond)); tenths < 100 {
		return fmt.Sprintf("%d.%ds", tenths/10, tenths%10)
	}
	return Elapsed(d)
}

const day = 24 * time.Hour

// ageUnit returns the unit of an age and its name.
func ageUnit(d time.Duration) (unit time.Duration, name string) {
	switch {
	case d < time.Hour:
		return time.Minute, "min"
	case d < 2*day:
		return time.Hour, "h"
	case d < 60*day:
		return day, "d"
	case d < 730*day:
		return 30 * day, "mo"
	}
	return 365 * day, "y"
}

// Age formats a duration as its largest unit, "" below a minute.
func Age(d time.Duration) string {
	if d < time.Minute {
		return ""
	}
	unit, name := ageUnit(d)
	return fmt.Sprintf("%d %s", d/unit, name)
}

// NextAge returns the least longer duration that [Age] formats otherwise.
func NextAge(d time.Duration) time.Duration {
	unit, _ := ageUnit(d)
	return max(time.Minute, (d/unit+1)*unit)
}

// Ago says roughly how long ago something was.
func Ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d >= day && d < 2*day:
		return "yesterday"
	}
	return Age(d) + " ago"
}
