package cli

import "runtime/debug"

// version is set when parley is built by its Makefile.
var version = ""

// currentVersion is parley's version, as the build knows it.
func currentVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}
