package fuzz

// OneOfBy is what OneOf does with an input.
var OneOfBy = oneOf
