package process

import (
	"os"
	"strings"
	"testing"
)

func TestParseStat(t *testing.T) {
	rest := " 1 20 300 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 5555 0 0"
	tests := []struct {
		name, stat string
		want       process
		ok         bool
	}{
		{"plain", "42 (sleep) S" + rest, process{pid: 42, parent: 1, group: 20, session: 300, started: 5555}, true},
		{"a name like the line around it", "42 (a) S 9 9 (9) R 9) S" + rest, process{pid: 42, parent: 1, group: 20, session: 300, started: 5555}, true},
		{"a name with a line end", "42 (a\nb) R" + rest + "\n", process{pid: 42, parent: 1, group: 20, session: 300, started: 5555}, true},
		{"a zombie", "42 (sleep) Z" + rest, process{pid: 42, parent: 1, group: 20, session: 300, started: 5555, zombie: true}, true},
		{"cut off", "42 (sleep) S 1 20 300", process{}, false},
		{"no numbers", "42 (sleep) S" + strings.Repeat(" x", 25), process{}, false},
		{"nothing", "", process{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := parseStat(42, []byte(tt.stat))
			if ok != tt.ok || ok && got != tt.want {
				t.Errorf("got %+v, %v; want %+v, %v", got, ok, tt.want, tt.ok)
			}
		})
	}
}

func TestReadTableFindsThisProcess(t *testing.T) {
	all := readTable()
	if all == nil {
		t.Fatal("/proc could not be read")
	}
	i, ok := all.byPID[os.Getpid()]
	if !ok || all.all[i].parent != os.Getppid() || all.all[i].zombie {
		t.Errorf("this process is %v in the table, %v", all.all[i], ok)
	}
}

func BenchmarkReadTable(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		b.ReportMetric(float64(len(readTable().all)), "processes")
	}
}
