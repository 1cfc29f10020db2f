package journal

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A session begins with an empty log: reading it takes no buffer for the longest record.
func TestOpeningAnEmptyLogTakesLittleMemory(t *testing.T) {
	dir := t.TempDir()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	l, err := openLog(filepath.Join(dir, logName), func(record) {})
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	if took := after.TotalAlloc - before.TotalAlloc; took > 64<<10 {
		t.Errorf("opening an empty log allocates %d bytes", took)
	}
}

// The longest record is read back, whole, as the only one and behind another.
func TestALongRecordIsReadBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), logName)
	long := record{Path: strings.Repeat("x", maxRecord/2)}
	for n := 1; n <= 2; n++ {
		var got []record
		l, err := openLog(path, func(r record) { got = append(got, r) })
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != n-1 || n == 2 && got[0].Path != long.Path {
			t.Errorf("read %d records, want %d", len(got), n-1)
		}
		if err := l.add(long, false); err != nil {
			t.Fatal(err)
		}
		l.close()
	}
}
