package config

// TestActions are the actions of the program, which this package cannot import.
var TestActions *Actions

// defaults returns the configuration without a file, with keys.
func defaults() *Config {
	c := Default()
	c.Keys = TestActions.Keys()
	return c
}
