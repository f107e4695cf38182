package picture

// Missing is the colour of what is missing.
var Missing = missing
