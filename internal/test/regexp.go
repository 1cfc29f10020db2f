package test

import (
	"time"

	"github.com/dlclark/regexp2/v2"
)

// HoldRegexpClock keeps the clock of the regular expressions that colour code outside of
// all synctest bubbles. There is one for the whole process, on a goroutine that ends a
// second after the last use: begun in a bubble, it would outlast it. Call it in TestMain.
func HoldRegexpClock() {
	re := regexp2.MustCompile("x", regexp2.None)
	re.MatchTimeout = 24 * time.Hour // the clock runs until then
	_, _ = re.MatchString("x")
}
