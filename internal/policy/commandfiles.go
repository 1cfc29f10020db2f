package policy

import "slices"

// commandUses reports whether the commands of a request use a file of a rule's pattern as the
// rule is about it, for all that is certain, and whether they may: because a program that
// parley does not know names one, or runs in such a folder.
func (r *Rule) commandUses(q Request) (does, may bool) {
	changes := rowOf(r.Kind).changes
	for _, request := range append([]Request{q}, q.Others...) {
		request.Resolve = q.Resolve
		for _, p := range request.parts() {
			all, complete := unwrap(p.words)
			may = may || !complete
			for _, v := range all {
				p.words = v.words
				d, m := r.partUses(request, p, changes)
				does, may = does || d, may || m
			}
		}
	}
	return does, may
}

// partUses is commandUses for one program.
func (r *Rule) partUses(q Request, p part, changes bool) (does, may bool) {
	in := func(name string) bool {
		return name != "" && slices.ContainsFunc(p.dirs, func(dir string) bool { return r.matchesPath(q.resolve(dir, name)) })
	}
	words, known := q.understood(p)
	if known {
		for _, w := range words {
			switch w.kind {
			case fileValue, pairValue, treeValue:
				does = does || !changes && in(w.text)
			case changeValue, productValue:
				does = does || changes && in(w.text)
			case revisionValue, pathspecValue, addedValue, testValue:
				may = may || !changes && slices.ContainsFunc(pathsIn(w.text), in)
			}
		}
		return does, may
	}
	from := 0
	if changes {
		from = 1 // running a program changes nothing of it
	}
	for _, w := range p.words[min(from, len(p.words)):] {
		may = may || in(w) || slices.ContainsFunc(pathsIn(w), in)
	}
	return false, may || in(".")
}
