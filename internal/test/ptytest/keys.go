package ptytest

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Flags of the kitty keyboard protocol. The terminal knows no others.
const (
	kittyDisambiguate = 1 // keys that could be something else are CSI u
	kittyAlternates   = 4 // with the shifted key
)

// keyboard is how the program wants keys to be sent.
type keyboard struct {
	kitty     int  // the flags it has asked for
	appCursor bool // DECCKM: cursor keys are SS3
}

const (
	modShift = 1 << iota
	modAlt
	modCtrl
)

var modNames = map[string]int{"shift": modShift, "alt": modAlt, "ctrl": modCtrl}

// codeKeys are the keys with a character code of their own.
var codeKeys = map[string]rune{"enter": 13, "tab": 9, "esc": 27, "backspace": 127, "space": ' '}

// letterKeys end in a letter: CSI letter, or SS3 letter.
var letterKeys = map[string]byte{
	"up": 'A', "down": 'B', "right": 'C', "left": 'D', "home": 'H', "end": 'F',
	"f1": 'P', "f2": 'Q', "f3": 'R', "f4": 'S',
}

// numberKeys are CSI number ~.
var numberKeys = map[string]int{
	"insert": 2, "delete": 3, "pgup": 5, "pgdown": 6,
	"f5": 15, "f6": 17, "f7": 18, "f8": 19, "f9": 20, "f10": 21, "f11": 23, "f12": 24,
}

// encode returns the bytes that a terminal sends for a key.
func (k keyboard) encode(name string) ([]byte, error) {
	mods, key, err := splitKey(name)
	if err != nil {
		return nil, err
	}
	if letter, ok := letterKeys[key]; ok {
		return k.function(key, letter, 1, mods), nil
	}
	if number, ok := numberKeys[key]; ok {
		return k.function(key, '~', number, mods), nil
	}
	code, named := codeKeys[key]
	if !named {
		var n int
		if code, n = utf8.DecodeRuneInString(key); n != len(key) || n == 0 {
			return nil, errors.New("there is no such key")
		}
	}
	if k.sendsCode(code, mods) {
		return k.csiU(code, mods), nil
	}
	return legacy(code, mods)
}

// splitKey splits "ctrl+alt+x". The plus itself is a key, too.
func splitKey(name string) (mods int, key string, err error) {
	for {
		before, after, ok := strings.Cut(name, "+")
		if !ok || before == "" || after == "" {
			return mods, name, nil
		}
		mod, ok := modNames[before]
		if !ok {
			return 0, "", fmt.Errorf("there is no modifier %q: use shift, alt or ctrl", before)
		}
		mods |= mod
		name = after
	}
}

// function encodes keys without a character.
func (k keyboard) function(key string, final byte, number, mods int) []byte {
	fkey := key[0] == 'f'
	if mods == 0 && k.kitty == 0 && number == 1 && (fkey || k.appCursor) {
		return []byte{'\x1b', 'O', final}
	}
	if k.kitty != 0 && key == "f3" { // CSI R would be a cursor position report
		final, number = '~', 13
	}
	switch {
	case mods != 0:
		return fmt.Appendf(nil, "\x1b[%d;%d%c", number, 1+mods, final)
	case number == 1 && final != '~':
		return []byte{'\x1b', '[', final}
	}
	return fmt.Appendf(nil, "\x1b[%d%c", number, final)
}

// sendsCode reports whether a character key goes as CSI u.
func (k keyboard) sendsCode(code rune, mods int) bool {
	switch {
	case k.kitty&kittyDisambiguate == 0:
		return false
	case code == 27:
		return true
	case code == 13 || code == 9 || code == 127:
		return mods != 0
	}
	return mods&^modShift != 0
}

func (k keyboard) csiU(code rune, mods int) []byte {
	text := code
	if lower := unicode.ToLower(code); lower != code { // the key is the small letter
		code, mods = lower, mods|modShift
	} else if mods&modShift != 0 {
		text = unicode.ToUpper(code)
	}
	number := fmt.Sprint(int(code))
	if k.kitty&kittyAlternates != 0 && text != code {
		number += fmt.Sprintf(":%d", text)
	}
	if mods != 0 {
		number += fmt.Sprintf(";%d", 1+mods)
	}
	return []byte("\x1b[" + number + "u")
}

// legacy encodes a character key as terminals have since the VT100, where shift+enter and
// enter are the same.
func legacy(code rune, mods int) ([]byte, error) {
	var b []byte
	if mods&modAlt != 0 {
		b = append(b, '\x1b')
	}
	if code == '\t' && mods&modShift != 0 {
		return append(b, "\x1b[Z"...), nil
	}
	if mods&modShift != 0 {
		code = unicode.ToUpper(code)
	}
	if mods&modCtrl != 0 && code != 13 && code != 9 && code != 27 {
		switch lower := unicode.ToLower(code); {
		case lower >= 'a' && lower <= 'z', code >= '[' && code <= '_', code == '@':
			code &= 0x1f
		case code == ' ':
			code = 0
		case code == '/':
			code = 0x1f
		case code == 127:
			code = 8
		default:
			return nil, errors.New("a legacy keyboard cannot send it")
		}
	}
	return utf8.AppendRune(b, code), nil
}
