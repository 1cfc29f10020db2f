package config

import _ "embed"

//go:embed example.toml
var example string

// Example is a configuration file that explains and lists every setting. All
// of them are commented out, so that it means the same as no file: what is
// prose begins with "# ", what is a setting with "#" alone.
func Example() string { return example }
