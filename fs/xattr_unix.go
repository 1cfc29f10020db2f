//go:build linux || darwin

package fs

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// maxAttribute limits the size in bytes of one extended attribute, and of the list of
// their names.
const maxAttribute = 64 << 10

// keepAttributes copies extended attributes from the old file to the new one where the
// system allows it: user attributes, access control lists, labels. It leaves out
// attributes that vouch for the old content.
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
