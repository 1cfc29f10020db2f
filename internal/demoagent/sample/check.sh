#!/bin/sh
# Checks that the greeter greets everybody. Needs nothing but a shell and grep.
failed=0

check() {
	if grep -Eq "$2" main.go; then
		printf '  \033[32mok\033[0m    %s\n' "$1"
	else
		printf '  \033[31mfail\033[0m  %s\n' "$1"
		failed=1
	fi
	[ "${PARLEY_DEMO_SPEED:-1}" = 0 ] || sleep 0.4
}

echo 'checking the greeter'
check 'there is a list of names' 'names :='
check 'the greeting is spelled right' 'Hello, %s!'
check 'nobody on the list is left out' 'range names|i := 0'
exit "$failed"
