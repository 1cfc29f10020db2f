package transcript

// Start is the item at the top of the view, by its number; following says that the view
// follows the end instead.
func (l *List) Start() (item int, following bool) {
	if l.following || l.top.node == nil {
		return 0, l.following
	}
	return max(0, l.top.node.Current().Index()), false
}

// StartAt puts an item at the top of the view, by its number. If there is no such item,
// the view follows the end.
func (l *List) StartAt(item int) {
	if item < 0 || item >= len(l.conv.Items) {
		l.following = true
		return
	}
	l.following, l.top = false, position{node: l.current(l.conv.Node(item))}
}
