package film

import "testing"

// Memory grows with frames as far as their flows are kept, and with what one frame has; what is learned from does not.
func TestMemory(t *testing.T) {
	few, more, many, most := Memory(10, 1000, 1), Memory(20, 1000, 1), Memory(1e6, 1000, 1), Memory(1e7, 1000, 1)
	if per := (more - few) / 10; per != 48*1000 {
		t.Errorf("%v bytes a frame, want those of three pairs of flows", per)
	}
	if many != most || !(many-few < 1<<28) {
		t.Errorf("%v bytes of many frames, %v of more", many, most)
	}
	if wide := Memory(1e7, 2000, 1); !(wide > most && wide-most < 1e6) {
		t.Errorf("%v bytes of twice the pixels, want more than %v", wide, most)
	}
	if colours := Memory(1e7, 1000, 3); !(colours-most > 20e6 && colours-most < 40e6) {
		t.Errorf("%v bytes of three channels beside %v, want samples of errors for each", colours, most)
	}
}
