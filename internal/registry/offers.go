package registry

import (
	"errors"
	"fmt"
)

// Offer is an agent of the registry that could be installed, or why it cannot.
type Offer struct {
	Entry Entry
	Plan  Plan
	Err   error
}

// Offers returns the agents of the registry for this platform, except taken ones. It
// returns offers even with an error, which says what of the registry could not be read.
func (a *Agents) Offers(taken func(id string) bool) ([]Offer, error) {
	e, err := a.Cache.Open()
	var list []Offer
	for _, entry := range e.Entries {
		if taken(entry.ID) {
			continue
		}
		p, err := entry.PlanHere()
		if errors.Is(err, ErrPlatform) {
			continue
		}
		var missing *MissingError
		if errors.As(err, &missing) {
			err = fmt.Errorf("%w: %s", err, missing.Hint())
		}
		list = append(list, Offer{entry, p, err})
	}
	return list, err
}
