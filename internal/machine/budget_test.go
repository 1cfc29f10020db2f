package machine

import (
	"sync"
	"testing"
	"testing/synctest"
)

// Requests that hold more than there is wait for each other; one that needs more
// than everything waits until it is alone.
func TestBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBudget(10)
		var mu sync.Mutex
		holding, most := int64(0), int64(0)
		release := make(chan func(), 100)
		for _, n := range []int64{4, 4, 4, 25, 10, 1, 0} {
			go func() {
				done, err := b.take(t.Context(), n)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				holding += min(n, 10)
				most = max(most, holding)
				mu.Unlock()
				release <- func() {
					mu.Lock()
					holding -= min(n, 10)
					mu.Unlock()
					done()
				}
			}()
			synctest.Wait()
		}
		if len(release) != 2 {
			t.Errorf("%d requests go on, want 2", len(release))
		}
		for range 7 {
			(<-release)()
			synctest.Wait()
		}
		if holding != 0 || most > 10 {
			t.Errorf("%d bytes were held at most, %d are still", most, holding)
		}
	})
}
