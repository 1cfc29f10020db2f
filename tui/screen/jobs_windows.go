package screen

import "sync/atomic"

// continuedMsg says that the process was stopped, which does not happen here.
type continuedMsg struct{}

// jobs is what a shell does with the process: nothing, on Windows.
type jobs struct{ taken atomic.Bool }

func newJobs() jobs { return jobs{} }

func (*jobs) hear() {}

func (*jobs) end() {}

// listen has nothing to hear: the console reports its size among the keys.
func (s *screen) listen() {}

func (s *screen) suspend() {}

func (s *screen) again() {}
