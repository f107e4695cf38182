package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"slices"
	"strconv"
)

// maxAxes bounds how deep arrays are nested.
const maxAxes = 4

// nested returns the values of nested arrays of JSON, null as NaN, of which there may be at most some, and their shape.
func nested(text []byte, most int) (values []float64, shape []int, err error) {
	ragged := errors.New("arrays that are nested to no shape: expected n examples of the same form, of numbers and null")
	d := json.NewDecoder(bytes.NewReader(text))
	var counts []int // of the elements of the arrays that are open
	for {
		token, err := d.Token()
		if err != nil {
			return nil, nil, err
		}
		depth, v, leaf := len(counts), math.NaN(), true
		switch token := token.(type) {
		case json.Delim:
			switch {
			case token == '[' && depth == maxAxes || token == '{':
				return nil, nil, ragged
			case token == '[':
				if counts = append(counts, 0); shape == nil || len(shape) > depth {
					continue
				}
				return nil, nil, ragged // where there are numbers elsewhere
			}
			if shape == nil {
				return nil, nil, ragged
			}
			if shape[depth-1] < 0 {
				shape[depth-1] = counts[depth-1]
			}
			if shape[depth-1] != counts[depth-1] {
				return nil, nil, ragged
			}
			if counts = counts[:depth-1]; depth == 1 {
				return values, shape, nil
			}
			leaf = false
		case float64:
			v = token
		case nil:
		default:
			return nil, nil, ragged
		}
		if len(counts) == 0 {
			return nil, nil, ragged
		}
		counts[len(counts)-1]++
		if !leaf {
			continue
		}
		if shape == nil {
			shape = slices.Repeat([]int{-1}, depth)
		}
		if len(shape) != depth {
			return nil, nil, ragged
		}
		if values = append(values, v); len(values) > most {
			return nil, nil, failf(http.StatusRequestEntityTooLarge, "more than %d values", most)
		}
	}
}

// writeNested writes values as arrays of JSON, nested by their shape, NaN as null.
func writeNested(w *bufio.Writer, values []float64, shape []int) {
	if len(shape) == 0 {
		if v := values[0]; v-v != 0 {
			w.WriteString("null")
		} else {
			w.Write(strconv.AppendFloat(w.AvailableBuffer(), v, 'g', -1, 64))
		}
		return
	}
	w.WriteByte('[')
	for i := range shape[0] {
		if i > 0 {
			w.WriteByte(',')
		}
		size := len(values) / shape[0]
		writeNested(w, values[i*size:(i+1)*size], shape[1:])
	}
	w.WriteByte(']')
}
