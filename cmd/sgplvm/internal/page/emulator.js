'use strict';
// The output of an emulator follows its inputs.
(function () {
  const $ = id => document.getElementById(id), E = JSON.parse($('model').textContent);
  const floats = t => new Float32Array(Uint8Array.from(atob(t), c => c.charCodeAt(0)).buffer);
  const n = E.runs, d = E.dims, J = E.modes, X = floats(E.x), alpha = floats(E.alpha), centre = floats(E.centre), V = floats(E.v), left = floats(E.left);
  const U = E.u ? floats(E.u) : null, x = new Float64Array(d), size = centre.length;
  const palette = Array.from({ length: 256 }, (_, i) => [0, 2, 4].map(k => parseInt(E.colours.substr(6 * i + k, 2), 16)));

  function value(k, z, at) {
    let r2 = 0, product = 1, linear = 0;
    for (let q = 0; q < d; q++) {
      const u = (x[q] - z[at + q]) / k.scales[q];
      if (k.form === 'product') product *= 1 - k.parts[q] + k.parts[q] * Math.exp(-u * u / 2);
      r2 += u * u;
      linear += k.linear[q] * x[q] * z[at + q];
    }
    const r = Math.sqrt(5 * r2), f = k.form === 'product' ? product : k.form === 'rbf' ? Math.exp(-r2 / 2) : (1 + r + r * r / 3) * Math.exp(-r);
    return k.share * f + (1 - k.share) * linear;
  }
  // back makes moments of values of those of their t.
  function back(mean, deviation) {
    for (let s = 0; E.transforms && s < size; s++) {
      const w = deviation[s] ** 2, t = E.transforms[s % E.transforms.length];
      if (t === 1) { mean[s] = Math.exp(mean[s] + w / 2); deviation[s] = mean[s] * Math.sqrt(Math.expm1(w)); }
      if (t === 2) { const y = 1 / (1 + Math.exp(-mean[s] / Math.sqrt(1 + Math.PI * w / 8))); mean[s] = y; deviation[s] *= y * (1 - y); }
    }
  }
  function predict(mean, deviation) {
    const rows = E.kernels.map(k => Float64Array.from({ length: n }, (_, i) => value(k, X, i * d))), p = new Float64Array(J);
    E.terms.forEach((t, s) => { for (let i = 0, row = rows[t[0]]; i < n; i++) p[t[1]] += row[i] * alpha[s * n + i]; });
    for (let s = 0; s < size; s++) { let v = centre[s]; for (let j = 0; j < J; j++) v += V[s * J + j] * p[j]; mean[s] = v; }
    if (!U) return back(mean, new Float64Array(size));
    const last = rows.length - 1, k = rows[last], u = new Float64Array(n), v = new Float64Array(J);
    for (let i = 0; i < n; i++) for (let t = 0; t < n; t++) u[t] += k[i] * U[i * n + t];
    const own = value(E.kernels[last], x, 0);
    for (let j = 0; j < J; j++) {
      let known = 0;
      for (let t = 0; t < n; t++) known += u[t] * u[t] / (E.lambda[t] + E.r[j]);
      v[j] = E.a[j] * (Math.max(0, own - known) + E.r[j]);
    }
    for (let s = 0; s < size; s++) { let w = left[s]; for (let j = 0; j < J; j++) w += V[s * J + j] ** 2 * v[j]; deviation[s] = Math.sqrt(w); }
    back(mean, deviation);
  }
  const format = v => Number(v.toPrecision(3)).toString();
  function paint(id, values, low, high, label) {
    const canvas = $(id), c = canvas.getContext('2d');
    let least = Infinity, most = -Infinity;
    for (const v of values) { least = Math.min(least, v); most = Math.max(most, v); }
    $(label).textContent = format(least) + ' to ' + format(most);
    if (low === undefined) { low = 0; high = most; }
    if (E.width) {
      canvas.width = E.width; canvas.height = E.height; canvas.className = 'pixels';
      const image = c.createImageData(E.width, E.height);
      for (let s = 0; s < size; s++) image.data.set([...palette[Math.max(0, Math.min(255, Math.round(255 * (values[s] - low) / (high - low || 1))))], 255], 4 * s);
      c.putImageData(image, 0, 0);
      return;
    }
    const w = canvas.width = 720, h = canvas.height = 300, at = s => h - 10 - (h - 20) * (values[s] - low) / (high - low || 1);
    c.strokeStyle = '#1f5a7a'; c.fillStyle = '#1f5a7a'; c.lineWidth = 3; c.beginPath();
    for (let s = 0; s < size; s++) {
      if (size < 12) c.fillRect((s + 0.2) * w / size, at(s), 0.6 * w / size, h - at(s));
      else c.lineTo(10 + (w - 20) * s / (size - 1), at(s));
    }
    c.stroke();
  }
  const mean = new Float64Array(size), deviation = new Float64Array(size);
  function draw() {
    predict(mean, deviation);
    paint('mean', mean, E.low, E.high, 'range');
    if (U) paint('deviation', deviation, undefined, 0, 'spread');
  }
  E.inputs.forEach(input => {
    const label = document.createElement('label'), text = document.createElement('span');
    label.style.display = 'block';
    let control;
    if (input.levels) {
      control = document.createElement('select');
      input.levels.forEach(l => { const o = document.createElement('option'); o.textContent = l; control.append(o); });
    } else {
      control = document.createElement('input');
      control.type = 'range'; control.min = input.low; control.max = input.high; control.step = 'any'; control.value = (input.low + input.high) / 2;
      control.style.width = '100%';
    }
    const read = () => {
      if (input.levels) input.levels.forEach((_, k) => { x[input.at + k] = (control.selectedIndex === k ? 1 : 0) - E.means[input.at + k]; });
      else x[input.at] = (control.value - input.mean) / input.scale;
      text.textContent = input.name + (input.levels ? ' ' : ' ' + format(input.log ? Math.exp(control.value) : +control.value));
    };
    control.addEventListener('input', () => { read(); draw(); });
    label.append(text, control); $('inputs').append(label); read();
  });
  if (!U) $('deviation').parentNode.hidden = true;
  draw();
})();
