//go:build linux || darwin

package fs

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// maxAttribute bounds the size in bytes of one extended attribute that is kept, and of
// the list of their names.
const maxAttribute = 64 << 10

// keepAttributes gives a new file the extended attributes of the one that it replaces,
// as far as the system lets it: what the user has set, access control lists, labels.
// Attributes that vouch for the old content are left out.
func keepAttributes(from, to *os.File) {
	names := make([]byte, maxAttribute)
	n, err := unix.Flistxattr(int(from.Fd()), names)
	if err != nil || n <= 0 {
		return
	}
	value := make([]byte, maxAttribute)
	for name := range strings.SplitSeq(strings.TrimRight(string(names[:n]), "\x00"), "\x00") {
		switch name {
		case "security.capability", "security.ima", "security.evm":
			continue
		}
		if n, err := unix.Fgetxattr(int(from.Fd()), name, value); err == nil {
			_ = unix.Fsetxattr(int(to.Fd()), name, value[:n], 0)
		}
	}
}
