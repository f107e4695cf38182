package cli

import "sync"

// A search is one for a model, that an interrupt ends before it ends the program.
type search struct {
	mutex sync.Mutex
	ended chan struct{} // nil: none goes on
}

// Interruptible makes Interrupt end searches.
func (e *Environment) Interruptible() { e.search = &search{} }

// Searching begins a search for a model: the channel is closed when the user interrupts it, and nil where no
// interrupts come. It is over when training begins.
func (e *Environment) Searching() <-chan struct{} {
	if e.search == nil {
		return nil
	}
	e.search.mutex.Lock()
	defer e.search.mutex.Unlock()
	e.search.ended = make(chan struct{})
	return e.search.ended
}

// Interrupt ends the search that goes on, and reports whether one did.
func (e *Environment) Interrupt() bool {
	ended := e.takeSearch()
	if ended == nil {
		return false
	}
	close(ended)
	e.Note("the search ends here and the best so far is trained; another interrupt stops that too")
	return true
}

// takeSearch makes the search, if any goes on, one that no interrupt ends any more.
func (e *Environment) takeSearch() (ended chan struct{}) {
	if e.search == nil {
		return nil
	}
	e.search.mutex.Lock()
	defer e.search.mutex.Unlock()
	ended, e.search.ended = e.search.ended, nil
	return ended
}
