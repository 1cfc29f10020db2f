//go:build unix

package process

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
)

func TestMembers(t *testing.T) {
	const leader = 100
	tests := []struct {
		name    string
		session int
		seen    map[int]uint64
		all     []process
		want    []int
	}{
		{"nobody", leader, nil, []process{{pid: 1}, {pid: 7, parent: 1, session: 7}}, nil},
		{"the session, orphans in it as well", leader, nil, []process{
			{pid: 100, parent: 50, session: 100},
			{pid: 101, parent: 100, session: 100},
			{pid: 102, parent: 1, session: 100},
			{pid: 50, parent: 1, session: 50},
		}, []int{100, 101, 102}},
		{"descendants in other sessions", leader, nil, []process{
			{pid: 103, parent: 102, session: 102}, // before its parent
			{pid: 100, parent: 50, session: 100},
			{pid: 102, parent: 100, session: 102},
			{pid: 104, parent: 103, session: 104},
		}, []int{100, 102, 103, 104}},
		{"orphans in a member's session", leader, nil, []process{
			{pid: 100, parent: 50, session: 100},
			{pid: 102, parent: 100, session: 102},
			{pid: 105, parent: 1, session: 102},
		}, []int{100, 102, 105}},
		{"a daemon that nobody has seen is none of them", leader, nil, []process{
			{pid: 100, parent: 50, session: 100},
			{pid: 106, parent: 1, session: 105},
		}, []int{100}},
		{"remembered, with what it has started since", 0, map[int]uint64{106: 7}, []process{
			{pid: 106, parent: 1, session: 105, started: 7},
			{pid: 107, parent: 106, session: 107, started: 9},
			{pid: 108, parent: 1, session: 105, started: 9},
		}, []int{106, 107, 108}},
		{"an id that was given to another process", 0, map[int]uint64{106: 7}, []process{
			{pid: 106, parent: 1, session: 106, started: 8},
			{pid: 107, parent: 106, session: 106, started: 9},
		}, nil},
		{"zombies are links and no members", leader, nil, []process{
			{pid: 100, parent: 50, session: 100, zombie: true},
			{pid: 101, parent: 100, session: 101, zombie: true},
			{pid: 102, parent: 1, session: 101},
		}, []int{102}},
		{"sessions outside of a container are not one", leader, nil, []process{
			{pid: 1, session: 0},
			{pid: 100, parent: 1, session: 100},
			{pid: 101, parent: 100, session: 0},
			{pid: 9, parent: 1, session: 0},
		}, []int{100, 101}},
		{"no session and nothing remembered", 0, nil, []process{{pid: 1, session: 0}, {pid: 9, parent: 1, session: 0}}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []int
			for _, p := range newTable(tt.all).members(tt.session, tt.seen) {
				got = append(got, p.pid)
			}
			slices.Sort(got)
			if !slices.Equal(got, tt.want) {
				t.Errorf("members are %v, want %v", got, tt.want)
			}
		})
	}
}

// Whoever asks while the table is being read gets the next reading, which they
// all share.
func TestReadingsAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const asking = 1500
		var readings []*table
		gate := make(chan struct{})
		shared := sharedTable{read: func() *table {
			r := newTable(nil)
			readings = append(readings, r)
			<-gate
			return r
		}}
		var first *table
		var wg sync.WaitGroup
		wg.Go(func() { first = shared.take() })
		synctest.Wait() // the first reading goes on

		others := make([]*table, asking)
		for i := range others {
			wg.Go(func() { others[i] = shared.take() })
		}
		synctest.Wait() // all of them wait
		close(gate)
		wg.Wait()
		if len(readings) != 2 {
			t.Fatalf("the table was read %d times for %d who asked", len(readings), asking+1)
		}
		if first != readings[0] {
			t.Error("the first who asked did not get the first reading")
		}
		for i, got := range others {
			if got != readings[1] {
				t.Fatalf("asker %d got a reading that began before it asked", i)
			}
		}
		if again := shared.take(); len(readings) != 3 || again != readings[2] {
			t.Error("who asks later gets an old reading")
		}
	})
}
