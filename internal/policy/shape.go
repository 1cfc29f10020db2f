package policy

import (
	"path"
	"slices"
	"strings"
)

// shape is a set of paths: their text in lower case, with the runes anyPath, anyName and
// anyRune for what may differ.
type shape []rune

const (
	anyPath = '\ue0f0' // any text
	anyName = '\ue0f1' // any text without a slash
	anyRune = '\ue0f2' // a character that is not a slash
	// anyShown is a character that is neither a slash nor a dot.
	anyShown = '\ue0f3'
)

// meets reports whether two shapes have a path in common.
func (s shape) meets(other shape) bool {
	// seen[i][j] means that the rest of s at i and that of the other at j have been compared.
	seen := make([]bool, (len(s)+1)*(len(other)+1))
	var meet func(i, j int) bool
	meet = func(i, j int) bool {
		if at := i*(len(other)+1) + j; seen[at] {
			return false
		} else {
			seen[at] = true
		}
		star := func(s shape, i int) bool { return i < len(s) && (s[i] == anyPath || s[i] == anyName) }
		takes := func(star, r rune) bool { return star == anyPath || r != '/' }
		switch a, b := star(s, i), star(other, j); {
		case a && b:
			return meet(i+1, j) || meet(i, j+1)
		case a:
			return meet(i+1, j) || j < len(other) && takes(s[i], other[j]) && meet(i, j+1)
		case b:
			return meet(i, j+1) || i < len(s) && takes(other[j], s[i]) && meet(i+1, j)
		case i == len(s) || j == len(other):
			return i == len(s) && j == len(other)
		}
		return oneOf(s[i], other[j]) && meet(i+1, j+1)
	}
	return meet(0, 0)
}

// oneOf reports whether two runes of shapes may stand for the same character.
func oneOf(x, y rune) bool {
	if x == anyRune || x == anyShown {
		x, y = y, x
	}
	switch y {
	case anyRune:
		return x != '/'
	case anyShown:
		return x != '/' && x != '.'
	}
	return x == y
}

func literalShape(name string) shape { return shape(strings.ToLower(name)) }

// globShape returns the shape of a pattern of one alternative.
func globShape(pattern string) shape {
	var s shape
	runes := []rune(strings.ToLower(pattern))
	for i := 0; i < len(runes); i++ {
		switch c := runes[i]; {
		case c == '\\' && i+1 < len(runes):
			i++
			s = append(s, runes[i])
		case c == '*' && i+1 < len(runes) && runes[i+1] == '*':
			i++
			s = append(s, anyPath)
		case c == '*':
			s = append(s, anyName)
		case c == '?':
			s = append(s, anyRune)
		case c == '[' && slices.Contains(runes[i:], ']'):
			i += slices.Index(runes[i:], ']')
			s = append(s, anyRune)
		default:
			s = append(s, c)
		}
	}
	return s
}

// mostAlternatives limits the alternatives of a pattern.
const mostAlternatives = 64

// alternatives returns patterns without braces, and in which "**" stands for at least one
// folder, that together match what a pattern does, or more.
func alternatives(pattern string) []string {
	all := []string{pattern}
	for i := 0; i < len(all); {
		head, choices, tail, ok := braces(all[i])
		if !ok {
			i++
			continue
		}
		if all = slices.Delete(all, i, i+1); len(all)+len(choices) > mostAlternatives {
			return []string{"**"}
		}
		for _, c := range choices {
			all = append(all, head+c+tail)
		}
	}
	for i := 0; i < len(all); i++ {
		p := all[i]
		for at := 0; at < len(p); at++ {
			without := ""
			switch {
			case strings.HasPrefix(p[at:], "**/") && (at == 0 || p[at-1] == '/'):
				without = p[:at] + p[at+len("**/"):]
			case p[at:] == "/**":
				without = p[:at]
			}
			if without == "" || slices.Contains(all, without) {
				continue
			}
			if all = append(all, without); len(all) > mostAlternatives {
				return []string{"**"}
			}
		}
	}
	return all
}

// braces returns the alternatives of the first braces of a pattern.
func braces(pattern string) (head string, choices []string, tail string, ok bool) {
	open, deep, from := -1, 0, 0
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '{':
			if deep++; deep == 1 {
				open, from = i, i+1
			}
		case ',':
			if deep == 1 {
				choices, from = append(choices, pattern[from:i]), i+1
			}
		case '}':
			if deep--; deep == 0 {
				return pattern[:open], append(choices, pattern[from:i]), pattern[i+1:], true
			}
		}
	}
	return "", nil, "", false
}

// shapesOf returns the shapes of the files of a rule.
func (q Request) shapesOf(r *Rule) []shape {
	pattern := strings.TrimSuffix(strings.TrimPrefix(r.Pattern, "./"), "/")
	var all []shape
	for _, p := range alternatives(pattern) {
		all = append(all, globShape(p))
		if q.mayBeFolder(p) {
			all = append(all, globShape(p+"/**"))
		}
	}
	return all
}

// mayBeFolder reports whether a pattern may be that of a folder. One with a dot in the name is
// taken for one of files: "*.pem", ".env*".
func (q Request) mayBeFolder(pattern string) bool {
	if strings.ContainsAny(pattern, `*?[\`) {
		return !strings.Contains(path.Base(pattern), ".")
	}
	p := q.resolve("", pattern)
	return p.Folder || !p.Exists
}

// shapes returns the shapes of a name with marks that is written relative to a directory.
func (q Request) shapes(dir, name string) []shape {
	if at := strings.LastIndex(name, unknownText); at >= 0 {
		// What comes before may lead anywhere with it.
		rest := strings.TrimLeft(name[at+len(unknownText):], "\ue0fe\ue0fc")
		if rest == "" || upwards(rest) {
			return []shape{{anyPath}}
		}
		var all []shape
		for _, s := range marked(rest) {
			if all = append(all, append(shape{anyPath}, s...)); s[0] == '/' {
				all = append(all, s[1:])
			}
		}
		return all
	}
	at := strings.Index(name, unknownName)
	if at < 0 {
		return []shape{literalShape(name)}
	}
	folder, rest := ".", name
	if slash := strings.LastIndexByte(name[:at], '/'); slash >= 0 {
		folder, rest = name[:slash+1], name[slash+1:]
	}
	if upwards(rest) {
		return []shape{{anyPath}}
	}
	where := q.resolve(dir, folder)
	if where.Name == "." {
		return marked(rest)
	}
	var all []shape
	if where.Above { // it may lead to the session's directory again
		for _, s := range marked(rest) {
			for i, r := range s {
				if r == '/' {
					all = append(all, s[i+1:])
				}
			}
		}
		if !strings.Contains(rest, "/") {
			all = append(all, nil)
		}
	}
	for _, s := range marked(rest) {
		all = append(all, append(literalShape(strings.TrimSuffix(where.Name, "/")+"/"), s...))
	}
	return all
}

// marked returns the shapes of a name with marks of file patterns. At the begin of a name,
// these stand for no dot.
func marked(name string) []shape {
	var all []shape
	for i, segment := range strings.Split(name, "/") {
		choices := []shape{literalShape(strings.ReplaceAll(segment, unknownName, string(anyName)))}
		if rest := choices[0]; len(rest) > 0 && rest[0] == anyName {
			choices = []shape{append(shape{anyShown}, rest...)}
			if len(rest) > 1 && rest[1] != '.' {
				choices = append(choices, rest[1:])
			}
		}
		if i == 0 {
			all = choices
			continue
		}
		var longer []shape
		for _, s := range all {
			for _, c := range choices {
				longer = append(longer, slices.Concat(s, shape{'/'}, c))
			}
		}
		if all = longer; len(all) > mostAlternatives {
			return []shape{{anyPath}}
		}
	}
	return all
}

// upwards reports whether a path leads to a folder above another one on its way.
func upwards(name string) bool { return slices.Contains(strings.Split(name, "/"), "..") }
