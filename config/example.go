package config

import _ "embed"

//go:embed example.toml
var example string

// Example returns a configuration file that explains every setting and sets none.
func Example() string { return example }
