package compare

import "time"

// CheckFor changes how long a check may run, until the function that it returns is called.
func CheckFor(d time.Duration) (restore func()) {
	was := checkTime
	checkTime = d
	return func() { checkTime = was }
}
