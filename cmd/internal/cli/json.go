package cli

import (
	"encoding/json"
	"strconv"
)

// JSON defines -json.
func (f *Flags) JSON() *bool {
	return f.Toggle("json", "print the result as one JSON object, for a script")
}

// PrintJSON prints a result as one JSON object.
func (e *Environment) PrintJSON(v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = e.Stdout.Write(append(text, '\n'))
	return err
}

// A Number is a number of a result in JSON, null where it is not finite.
type Number float64

// MarshalJSON writes all digits that tell the number apart.
func (n Number) MarshalJSON() ([]byte, error) {
	if v := float64(n); v-v != 0 {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(n), 'g', -1, 64), nil
}
