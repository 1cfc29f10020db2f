package desktop

import "time"

func init() { clipboardPatience = time.Minute }
