package edge

import (
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/infer"
)

// newPast makes room for the last examples.
func (s *Stream) newPast() {
	if s.o.Lag <= 0 {
		return
	}
	s.past, s.later = make([]*past, 0, s.o.Lag+1), make([]*past, 0, s.o.Lag+1)
	for range s.o.Lag + 1 {
		p := new(past)
		for k, of := range s.processes() {
			p.states[k], p.sites[k] = make([]float64, len(of.state.Get())), make([]infer.Site, len(of.sites))
		}
		s.free = append(s.free, p)
	}
}

// pastBytes returns what an example takes that is kept.
func (s *Stream) pastBytes() (bytes int) {
	for _, of := range s.processes() {
		bytes += 8*len(of.state.Get()) + 16*len(of.sites)
	}
	return bytes
}

// update has the processes take over their sites at the present instant, and remembers it in p; nil: in any room.
func (s *Stream) update(p *past) {
	if s.o.Lag > 0 {
		if len(s.past) == s.o.Lag {
			s.free = append(s.free, s.past[0])
			s.past = append(s.past[:0], s.past[1:]...)
		}
		if p == nil {
			p = s.free[len(s.free)-1]
			s.free = s.free[:len(s.free)-1]
		}
		p.at, p.before, p.begun = s.now, s.at, s.begun
		for k, of := range s.processes() {
			copy(p.states[k], of.state.Get())
			copy(p.sites[k], of.sites)
		}
		s.past = append(s.past, p)
	}
	for _, of := range s.processes() {
		of.state.Update(of.mean, of.variance, of.sites)
	}
	s.begun, s.at = true, s.now
}

// back goes back to before the examples after a time, which are later then; it does nothing where there are none, or more than are kept.
func (s *Stream) back(time float64) {
	s.later = s.later[:0]
	k := len(s.past)
	for k > 0 && s.past[k-1].at.Time > time {
		k--
	}
	if k == len(s.past) || s.past[k].begun && s.past[k].before.Time > time {
		return
	}
	s.later, s.past = append(s.later, s.past[k:]...), s.past[:k]
	p := s.later[0]
	s.begun, s.at = p.begun, p.before
	for k, of := range s.processes() {
		copy(of.state.Get(), p.states[k])
	}
}

// forward has the stream take over later examples again, with what was seen there.
func (s *Stream) forward() error {
	for _, p := range s.later {
		if err := s.ahead(p.at.Time); err != nil {
			return err
		}
		for k, of := range s.processes() {
			copy(of.sites, p.sites[k])
		}
		s.update(p)
	}
	s.later = s.later[:0]
	return nil
}
