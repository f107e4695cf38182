// Package strict reads JSON into structures and refuses, by place, what they do not have.
package strict

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
)

// Read sets the structure to which v points from JSON text. Unknown fields, fields given twice and values of another type are errors, as is anything
// behind the object. Errors: *field.ConfigError whose Field is the name in JSON, as "residual.rounds"; others for what is no JSON.
func Read(text []byte, v any) error {
	c := reader{text: text, tokens: json.NewDecoder(bytes.NewReader(text))}
	if err := json.Unmarshal(text, new(json.RawMessage)); err != nil {
		return c.noJSON(err)
	}
	c.tokens.UseNumber()
	return c.value(reflect.ValueOf(v).Elem(), "")
}

// A reader reads JSON that is valid.
type reader struct {
	text   []byte
	tokens *json.Decoder
}

// line is that of the text in which a byte stands, counted from 1.
func (c *reader) line(at int64) int {
	return 1 + bytes.Count(c.text[:min(max(at, 0), int64(len(c.text)))], []byte("\n"))
}

// noJSON says where a text is no JSON.
func (c *reader) noJSON(err error) error {
	at := int64(len(c.text))
	if bad := (*json.SyntaxError)(nil); errors.As(err, &bad) && bad.Offset > 0 {
		at = bad.Offset - 1
	}
	return fmt.Errorf("line %d: %s, expected a configuration as JSON", c.line(at), quote.Line(strings.TrimPrefix(err.Error(), "json: ")))
}

// next returns the next token of JSON.
func (c *reader) next() (json.Token, error) {
	token, err := c.tokens.Token()
	if err != nil {
		return nil, c.noJSON(err)
	}
	return token, nil
}

// refuse returns an error about the field that was read last.
func (c *reader) refuse(path, format string, args ...any) error {
	if path == "" {
		path = "configuration"
	}
	text := fmt.Sprintf(format, args...)
	return &field.ConfigError{Field: quote.Line(path), Err: fmt.Errorf("line %d: %s", c.line(c.tokens.InputOffset()), text)}
}

// wrong returns an error about a value of another type.
func (c *reader) wrong(path string, token json.Token, want string) error {
	found := ""
	switch v := token.(type) {
	case json.Delim:
		found = map[json.Delim]string{'{': "an object", '[': "a list"}[v]
	case nil:
		found = "null"
	case string:
		found = quote.Text(v)
	default:
		found = quote.Line(fmt.Sprint(v))
	}
	return c.refuse(path, "found %s, expected %s", found, want)
}

// value reads what v holds; path is its name in JSON.
func (c *reader) value(v reflect.Value, path string) error {
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		return c.value(v.Elem(), path)
	}
	token, err := c.next()
	if err != nil {
		return err
	}
	if word, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		text, ok := token.(string)
		if !ok {
			return c.wrong(path, token, "a text")
		}
		if err := word.UnmarshalText([]byte(text)); err != nil {
			return c.refuse(path, "%v", err)
		}
		return nil
	}
	switch v.Kind() {
	case reflect.Struct:
		if token != json.Delim('{') {
			return c.wrong(path, token, "an object")
		}
		return c.object(v, path)
	case reflect.Slice:
		if token != json.Delim('[') {
			return c.wrong(path, token, "a list")
		}
		return c.list(v, path)
	case reflect.String:
		text, ok := token.(string)
		if !ok {
			return c.wrong(path, token, "a text")
		}
		v.SetString(text)
	case reflect.Bool:
		b, ok := token.(bool)
		if !ok {
			return c.wrong(path, token, "true or false")
		}
		v.SetBool(b)
	default:
		return c.number(v, path, token)
	}
	return nil
}

// number sets v to a number.
func (c *reader) number(v reflect.Value, path string, token json.Token) error {
	text, isNumber := token.(json.Number)
	want := "a number"
	var err error
	switch {
	case v.CanInt():
		var i int64
		want = "a whole number"
		if i, err = strconv.ParseInt(text.String(), 10, v.Type().Bits()); err == nil {
			v.SetInt(i)
		}
	case v.CanUint():
		var u uint64
		want = fmt.Sprintf("a whole number from 0 to %d", uint64(math.MaxUint64))
		if u, err = strconv.ParseUint(text.String(), 10, v.Type().Bits()); err == nil {
			v.SetUint(u)
		}
	default:
		var f float64
		if f, err = strconv.ParseFloat(text.String(), 64); err == nil {
			v.SetFloat(f)
		}
	}
	if !isNumber || err != nil {
		return c.wrong(path, token, want)
	}
	return nil
}

// list reads the rest of a list.
func (c *reader) list(v reflect.Value, path string) error {
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	for i := 0; c.tokens.More(); i++ {
		element := reflect.New(v.Type().Elem()).Elem()
		if err := c.value(element, fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return err
		}
		v.Set(reflect.Append(v, element))
	}
	_, err := c.next()
	return err
}

// object reads the rest of an object.
func (c *reader) object(v reflect.Value, path string) error {
	if path != "" {
		path += "."
	}
	fields, names := map[string]reflect.Value{}, []string(nil)
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if name != "-" {
			fields[name], names = v.Field(i), append(names, name)
		}
	}
	given := map[string]bool{}
	for c.tokens.More() {
		key, err := c.next()
		if err != nil {
			return err
		}
		name, _ := key.(string)
		value, ok := fields[name]
		switch {
		case !ok:
			return c.refuse(path+name, "an unknown field, expected one of %s", strings.Join(names, ", "))
		case given[name]:
			return c.refuse(path+name, "given twice, expected once")
		}
		given[name] = true
		if err := c.value(value, path+name); err != nil {
			return err
		}
	}
	_, err := c.next()
	return err
}
