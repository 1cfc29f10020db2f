package list_test

import _ "parley/tui/tab" // registers the keys
