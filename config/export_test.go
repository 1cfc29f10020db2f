package config

// TestActions are the actions of the program, which this package cannot import.
var TestActions *Actions

// defaults returns the configuration without a file, with keys.
func defaults() *Config { return Default(TestActions) }
