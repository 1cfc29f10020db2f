package screen

import "sync/atomic"

// continuedMsg never occurs on Windows.
type continuedMsg struct{}

// jobs handles job control, which Windows does not have.
type jobs struct{ taken atomic.Bool }

func newJobs() jobs { return jobs{} }

func (*jobs) hear() {}

func (*jobs) end() {}

// listen does nothing: the console reports its size among the keys.
func (s *screen) listen() {}

func (s *screen) suspend() {}

func (s *screen) again() {}
