package clipboard

import "time"

func init() { patience = time.Minute }
