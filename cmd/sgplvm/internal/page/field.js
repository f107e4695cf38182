'use strict';
// What the model predicts at latent variables x: its mean is linear in psi, its variance in the squares of the rotated psi.
function makeField(E) {
  const bytes = t => Uint8Array.from(atob(t), c => c.charCodeAt(0));
  const doubles = t => new Float64Array(bytes(t).buffer), floats = t => new Float32Array(bytes(t).buffer);
  const m = E.inducing, d = E.dims, z = doubles(E.z), rotation = floats(E.rotation), flat = floats(E.flat);
  const unpack = s => ({ o: s.o, s: s.s, v: bytes(s.b) });
  const lowRank = r => ({ center: unpack(r.center), fields: r.fields.map(unpack), weights: doubles(r.weights), start: r.start });
  const mean = lowRank(E.mean), taken = lowRank(E.taken), noise = unpack(E.noiseField);
  const timeValues = E.path && E.path.values ? doubles(E.path.values) : null;
  const psi = new Float64Array(m), tau = new Float64Array(E.columns);

  // at sets psi and tau, and returns k(x, x); step is a time of the path.
  function at(x, step) {
    let prior = E.variance + E.bias + E.time;
    for (let q = 0; q < d && E.linear; q++) prior += E.linear[q] * x[q] * x[q];
    for (let k = 0; k < m; k++) {
      let far = 0, dot = 0;
      for (let q = 0; q < d; q++) {
        if (E.lengths) far += ((x[q] - z[k * d + q]) / E.lengths[q]) ** 2;
        if (E.linear) dot += E.linear[q] * x[q] * z[k * d + q];
      }
      psi[k] = E.bias + dot + (E.lengths ? E.variance * Math.exp(-far / 2) : 0) + (timeValues ? timeValues[step * m + k] : 0);
    }
    tau.fill(0);
    for (let k = 0; k < m; k++) for (let j = 0, p = psi[k], r = k * E.columns; j < E.columns; j++) tau[j] += p * rotation[r + j];
    for (let j = 0; j < E.columns; j++) tau[j] *= tau[j];
    return prior;
  }
  function addSprite(out, s, factor) {
    const a = factor * s.s, b = factor * s.o, v = s.v;
    for (let i = 0; i < out.length; i++) out[i] += b + a * v[i];
  }
  function sum(out, r, v) {
    const rank = r.fields.length;
    out.fill(0);
    addSprite(out, r.center, 1);
    for (let k = 0; k < rank; k++) {
      let c = -r.start[k];
      for (let i = 0; i < v.length; i++) c += v[i] * r.weights[i * rank + k];
      addSprite(out, r.fields[k], c);
    }
  }
  return {
    means: mean.center.v.length, points: taken.center.v.length, doubles, floats,
    // operations is how many multiplications one prediction takes.
    operations: m * (d + E.columns + mean.fields.length) + (mean.fields.length + 1) * mean.center.v.length + (taken.fields.length + 2) * taken.center.v.length,
    // predict sets out to the mean and deviation to the standard deviation, both in the model's units.
    predict(x, step, out, deviation) {
      const prior = at(x, step);
      sum(out, mean, psi);
      if (!deviation) return;
      sum(deviation, taken, tau);
      for (let i = 0; i < deviation.length; i++) deviation[i] = Math.sqrt(Math.max(0, E.prior * prior - deviation[i]) + noise.o + noise.s * noise.v[i]);
    },
    // unsure returns the deviation at x without noise, averaged over the field.
    unsure(x, step) {
      let v = E.prior * at(x, step);
      for (let j = 0; j < E.columns; j++) v -= tau[j] * flat[j];
      return Math.sqrt(Math.max(0, v));
    },
  };
}
