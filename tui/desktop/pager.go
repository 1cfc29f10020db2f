package desktop

// Pager returns the program and the first arguments of the user's pager: from $PAGER,
// else less, which shows colours with -R. It returns nil without a pager, or if $PAGER is
// "cat" or not a command.
func Pager(getenv func(string) string, lookPath func(string) (string, error)) []string {
	value := getenv("PAGER")
	if value == "" {
		value = "less -R"
	}
	words, ok := splitter{getenv}.split(value)
	if !ok || len(words) == 0 || words[0] == "cat" {
		return nil
	}
	if _, err := lookPath(words[0]); err != nil {
		return nil
	}
	return words
}
