package config_test

import _ "parley/internal/app/command" // registers the actions
