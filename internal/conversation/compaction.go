package conversation

import "parley/acpclient"

// applyCompaction creates or changes a compaction. What the update does not
// mention stays as it is.
func (c *Conversation) applyCompaction(u *acpclient.CompactionUpdate) {
	p := c.compactionByID(u.CompactionID)
	if u.Status != "" {
		p.Status = u.Status
	}
	if u.Summary != nil {
		p.Summary = nil
		for _, b := range u.Summary {
			p.Summary.add(b)
		}
	}
	if u.Error != "" {
		p.Error = u.Error
	}
	p.changed()
}

// compactionByID returns the compaction with this id, a new one if there was none.
func (c *Conversation) compactionByID(id acpclient.CompactionID) *Compaction {
	p := c.compactions[id]
	if p == nil {
		c.closeMessage()
		p = &Compaction{ID: id, Status: acpclient.CompactionInProgress}
		c.compactions[id] = p
		c.addItem(p)
	}
	return p
}
