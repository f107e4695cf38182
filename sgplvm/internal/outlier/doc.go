// Package outlier finds values that nothing simple explains: readings of broken sensors, words for "no value" such as -9999 that
// nobody has declared, single spikes. It knows no model.
//
// A value is compared with those around it in space, with those before and after it in time and, where there are
// neither, with the median of its column. How far is too far the other values tell, by the tail of their own distances
// (tailOf): those of counts, rain or log-normal values are long, and what is one more value of such a tail stays.
// Score and Reach are for values of which a model says how they are distributed.
package outlier
