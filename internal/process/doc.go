// Package process starts, finds and ends whole trees of processes. On Linux it also
// supervises parley, so that nothing an agent has started outlives it. It needs nothing
// but the standard library.
//
// A Tree begins with its leader, a process that was started in a session of its
// own (see Lead). To the tree belong
//
//   - every process of the leader's session, also of the process groups that a
//     shell with job control makes in it,
//   - every process that descends from one that belongs to the tree, also in a
//     session of its own, and every other process of that session,
//   - every process that was found to belong to the tree before, also when its
//     parent has ended since. It is remembered by its id together with the time
//     of its start, which no other process ever has: an id that was given to
//     another process is never mistaken for it.
//
// A daemon that left both its session and its parent before the tree was looked
// at cannot be told from a stranger and is left alone by its Tree. Where the whole
// program ends, EndBelow finds it too, on Linux: it descends from a subreaper.
//
// All this is known on Linux, from /proc. On other Unix systems, and where /proc
// is missing, the tree is the leader's process group; on Windows it is whatever
// taskkill finds below the leader.
//
// A look at /proc costs about ten microseconds for every process of the
// machine. Trees that are looked at at the same time share one look, so that a
// thousand trees are ended at the price of one.
package process
