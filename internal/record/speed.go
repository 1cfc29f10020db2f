package record

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Speed is the speed of a replay, 1 being the original.
type Speed float64

// MaxSpeed plays without any pause.
const MaxSpeed Speed = Speed(math.MaxFloat64)

// speeds are the steps of Faster and Slower.
var speeds = []Speed{0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, MaxSpeed}

// The bounds of a speed other than MaxSpeed.
const (
	slowest Speed = 0.01
	fastest Speed = 1000
)

// ParseSpeed parses "2", "0.5", "4x" or "max".
func ParseSpeed(text string) (Speed, error) {
	if text == "max" {
		return MaxSpeed, nil
	}
	v, err := strconv.ParseFloat(strings.TrimSuffix(text, "x"), 64)
	if s := Speed(v); err != nil || !(s >= slowest && s <= fastest) {
		return 0, fmt.Errorf("%q is not a speed: use a number from %v to %v, or max", text, float64(slowest), float64(fastest))
	}
	return Speed(v), nil
}

// String returns the speed in the form of ParseSpeed.
func (s Speed) String() string {
	if s == MaxSpeed {
		return "max"
	}
	return strconv.FormatFloat(float64(s), 'g', -1, 64) + "x"
}

// faster returns the next higher speed.
func (s Speed) faster() Speed {
	if i := slices.IndexFunc(speeds, func(next Speed) bool { return next > s }); i >= 0 {
		return speeds[i]
	}
	return s
}

// slower returns the next lower speed.
func (s Speed) slower() Speed {
	for i := len(speeds) - 1; i >= 0; i-- {
		if speeds[i] < s {
			return speeds[i]
		}
	}
	return s
}
