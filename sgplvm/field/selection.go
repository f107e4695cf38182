package field

// Selection tells how Fit has chosen what a Config left open. A model keeps it in its file.
type Selection struct {
	Effort Effort `json:"effort"`
	Task   string `json:"task"`            // what candidates were validated by, in words
	Ended  string `json:"ended,omitempty"` // why the search ended early; empty where it did not

	Stages []SelectionStage `json:"stages,omitempty"`
}

// SelectionStage is one choice: its candidates in the order in which they were tried.
type SelectionStage struct {
	Name       string      `json:"name"`
	Candidates []Candidate `json:"candidates"`
}

// Candidate is one of them, and how good it was.
type Candidate struct {
	Name string `json:"name"` // what distinguishes it, in words

	// Score is its mean negative log density of what was hidden, in nats a value in the user's units: less
	// is better. Difference is how much worse the candidate is than the chosen one, by Score and by RMSE relative to
	// the mean of the two, and Error the standard error of the difference over the examples validated.
	Score      float64 `json:"score"`
	Difference float64 `json:"difference"`
	Error      float64 `json:"error"`

	RMSE     float64 `json:"rmse,omitempty"`     // of the same, the mean over examples, in standard deviations of the data
	Examples int     `json:"examples,omitempty"` // by how many it was validated; 0: all, as it was not clearly worse on the first
	Chosen   bool    `json:"chosen,omitempty"`
	Failure  string  `json:"failure,omitempty"` // why it could not be validated, if it could not
}
