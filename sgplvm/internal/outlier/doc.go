// Package outlier finds values that nothing simple explains: readings of broken sensors, words for "no value" such as -9999 that
// nobody has declared, single spikes. It knows no model.
//
// A value is compared with what predicts it: the values around it in space, those before and after it in time and, where there are
// neither, the median of its column. How far from a prediction is too far the other values tell, by the tail of their own distances
// (see bound): those of counts, rain or log-normal values are long, and what is one more value of such a tail stays.
package outlier
