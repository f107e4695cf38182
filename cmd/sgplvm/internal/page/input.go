package page

import "github.com/seed-08962ecc/kronfield/sgplvm"

// Input is what a page is made of.
type Input struct {
	Model   *sgplvm.Model
	Name    string   // of the model, for people
	Labels  []int    // of the training examples; nil: sequences, if there are several
	Columns []string // names of a table's columns; nil: none are known
	Data    *Data    // nil: the model alone
}

// Data are pictures with which the model is judged.
type Data struct {
	Name     string
	Seen     sgplvm.Source   // what the model is given, NaN where nothing was seen
	Truth    sgplvm.Source   // nil: what was seen is all that is known
	Priors   []sgplvm.Latent // at the times of the pictures; nil where these are unknown
	Training bool            // they are the pictures that the model has learned from
	Infer    sgplvm.InferOptions
}
