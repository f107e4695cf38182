'use strict';
// The map of latent variables, the picture that follows the pointer, and what the keyboard does.
(function () {
  const $ = id => document.getElementById(id), E = JSON.parse($('model').textContent), F = makeField(E);
  const n = E.examples.count, d = E.dims, mu = F.floats(E.examples.mu), sd = F.floats(E.examples.sd);
  const path = E.path ? F.floats(E.path.mu) : null, steps = E.path ? E.path.times.length : 0;
  const map = $('map'), paper = map.getContext('2d'), ratio = 2, W = map.width / ratio, H = map.height / ratio, margin = { l: 40, r: 12, t: 12, b: 34 };
  const out = new Float32Array(F.means), deviation = new Float32Array(F.points), x = new Float64Array(d);
  const palette = Array.from({ length: 256 }, (_, i) => [0, 2, 4].map(k => parseInt(E.colours.substr(6 * i + k, 2), 16)));
  const state = { a: E.axes[0], b: E.axes.length > 1 ? E.axes[1] : -1, at: null, example: -1, step: 0, playing: 0, thumbs: false, grey: E.grey, colour: 'order', follow: true };
  let range, shade, tour, flat, most = 1; // most: the largest deviation on the map

  const spread = new Float64Array(d), centre = new Float64Array(d);
  for (let q = 0; q < d; q++) {
    let s = 0, t = 0;
    for (let i = 0; i < n; i++) { s += mu[i * d + q]; t += mu[i * d + q] ** 2; }
    centre[q] = s / n; spread[q] = Math.sqrt(Math.max(t / n - (s / n) ** 2, 1e-12));
  }
  const height = i => state.b < 0 ? i / Math.max(1, n - 1) : mu[i * d + state.b];
  function setRange() {
    const r = [Infinity, -Infinity, Infinity, -Infinity];
    for (let i = 0; i < n; i++) {
      r[0] = Math.min(r[0], mu[i * d + state.a]); r[1] = Math.max(r[1], mu[i * d + state.a]);
      r[2] = Math.min(r[2], height(i)); r[3] = Math.max(r[3], height(i));
    }
    const w = (r[1] - r[0]) * 0.12 || 1, h = (r[3] - r[2]) * 0.12 || 1;
    range = [r[0] - w, r[1] + w, r[2] - h, r[3] + h];
  }
  const px = v => margin.l + (v - range[0]) / (range[1] - range[0]) * (W - margin.l - margin.r);
  const py = v => H - margin.b - (v - range[2]) / (range[3] - range[2]) * (H - margin.t - margin.b);
  const ux = p => range[0] + (p - margin.l) / (W - margin.l - margin.r) * (range[1] - range[0]);
  const uy = p => range[2] + (H - margin.b - p) / (H - margin.t - margin.b) * (range[3] - range[2]);

  // place sets x to a point of the map; the other dimensions are those of the examples near it, or of their centre.
  function place(u, v) {
    x.set(centre);
    if (state.follow && d > 2) {
      const hx = (range[1] - range[0]) / 28, hy = (range[3] - range[2]) / 28;
      let least = Infinity, total = 0;
      const far = place.far || (place.far = new Float64Array(n));
      for (let i = 0; i < n; i++) {
        far[i] = ((u - mu[i * d + state.a]) / hx) ** 2 + ((v - height(i)) / hy) ** 2;
        if (far[i] < least) least = far[i];
      }
      x.fill(0);
      for (let i = 0; i < n; i++) {
        const w = Math.exp(-(far[i] - least) / 2);
        if (w < 1e-4) continue;
        total += w;
        for (let q = 0; q < d; q++) x[q] += w * mu[i * d + q];
      }
      for (let q = 0; q < d; q++) x[q] /= total;
    }
    x[state.a] = u;
    if (state.b >= 0) x[state.b] = v;
  }
  function nearestStep(i) {
    let best = 0;
    if (!E.examples.times || !steps) return 0;
    for (let k = 1; k < steps; k++) if (Math.abs(E.path.times[k] - E.examples.times[i]) < Math.abs(E.path.times[best] - E.examples.times[i])) best = k;
    return best;
  }

  // The background: where the model knows what things look like there is colour, where it guesses there is bare paper.
  function setShade() {
    const w = 56, h = 42, v = new Float64Array(w * h);
    let low = Infinity, high = 0;
    for (let j = 0; j < h; j++) for (let i = 0; i < w; i++) {
      place(ux(margin.l + (i + 0.5) / w * (W - margin.l - margin.r)), uy(margin.t + (j + 0.5) / h * (H - margin.t - margin.b)));
      const s = v[j * w + i] = F.unsure(x, state.step);
      low = Math.min(low, s); high = Math.max(high, s);
    }
    shade = document.createElement('canvas'); shade.width = w; shade.height = h;
    const image = shade.getContext('2d').createImageData(w, h);
    for (let i = 0; i < w * h; i++) {
      const t = 1 - (v[i] - low) / (high - low || 1);
      image.data.set([86, 132, 160, Math.round(150 * t * t)], 4 * i);
    }
    shade.getContext('2d').putImageData(image, 0, 0);
    most = Math.max(1e-9, Math.sqrt(high * high + E.noise));
    $('unsure').textContent = format(low * 100, 2) + ' % (filled) to ' + format(high * 100, 2) + ' % (bare)';
  }
  const format = (v, k) => Number(v.toPrecision(k)).toString();

  const groups = [...new Set(E.examples.label || [])].sort((a, b) => a - b);
  // legend says what the colours of the dots mean.
  function legend() {
    const key = state.colour, times = E.examples.times, to = $('legend');
    to.textContent = '';
    const put = (tag, text, colour) => { const e = document.createElement(tag); e.textContent = text; if (colour) e.style.background = colour; to.append(e); };
    if (key === 'label') { groups.slice(0, E.labelColours.length).forEach((g, i) => { put('b', '', E.labelColours[i]); put('span', g); }); return; }
    const first = key === 'time' ? format(Math.min(...times), 4) : 'first', last = key === 'time' ? format(Math.max(...times), 4) : 'last';
    put('span', first);
    put('i', '', 'linear-gradient(90deg,' + [0, 1, 2, 3, 4].map(k => 'rgb(' + palette[Math.round(20 + 205 * k / 4)].join() + ')').join() + ')');
    put('span', last);
  }
  function tone(i, total) {
    const key = state.colour;
    if (key === 'label' && E.examples.label) {
      return E.labelColours[groups.indexOf(E.examples.label[i]) % E.labelColours.length];
    }
    let t = i / Math.max(1, total - 1);
    if (key === 'time' && E.examples.times) {
      const all = E.examples.times, first = Math.min(...all), last = Math.max(...all);
      t = (all[i] - first) / (last - first || 1);
    }
    return 'rgb(' + palette[Math.round(20 + 205 * t)].join() + ')';
  }

  // paint draws a field into a canvas: a picture, a curve, points or bars.
  function paint(canvas, values, spreadOf, mapped) {
    const c = canvas.getContext('2d');
    if (E.kind === 'picture') {
      if (canvas.width !== E.width || canvas.height !== E.height) { canvas.width = E.width; canvas.height = E.height; }
      const image = c.createImageData(E.width, E.height);
      colour(new Uint32Array(image.data.buffer), values, mapped);
      c.putImageData(image, 0, 0);
      return;
    }
    const w = canvas.width = 720, h = canvas.height = E.kind === 'points' ? plane.height : E.kind === 'curve' ? 400 : Math.min(900, 34 * values.length);
    c.clearRect(0, 0, w, h);
    if (E.kind === 'points') return scatter(c, values, mapped);
    (E.kind === 'curve' ? curve : table)(c, w, h, values, spreadOf);
  }
  // colour sets words to the colours of values, a byte for each of red, green, blue and opacity; the words are little-endian.
  const words = palette.map(p => (255 << 24 | p[2] << 16 | p[1] << 8 | p[0]) >>> 0);
  function colour(to, values, mapped) {
    const rgb = values.length === 3 * to.length;
    for (let i = 0; i < to.length; i++) {
      if (rgb) { to[i] = (255 << 24 | share(values[3 * i + 2], 2) << 16 | share(values[3 * i + 1], 1) << 8 | share(values[3 * i], 0)) >>> 0; continue; }
      const t = mapped ? Math.min(255, Math.max(0, Math.round(255 * mapped(values[i])))) : share(values[i], 0);
      to[i] = !mapped && state.grey ? (255 << 24 | t << 16 | t << 8 | t) >>> 0 : words[t];
    }
  }
  const share = (v, c) => Math.round(255 * Math.min(1, Math.max(0, (E.offset[c] + E.unit[c] * v - E.low[c]) / (E.high[c] - E.low[c]))));
  // Points in a plane: where they are drawn, 720 wide, and how large.
  const plane = (() => {
    if (E.kind !== 'points') return null;
    const of = v => v.reduce((r, a) => [Math.min(r[0], a), Math.max(r[1], a)], [Infinity, -Infinity]), x = of(E.across), y = of(E.down), pad = 18;
    const scale = Math.min((720 - 2 * pad) / (x[1] - x[0] || 1), (560 - 2 * pad) / (y[1] - y[0] || 1)), wide = scale * (x[1] - x[0]), high = scale * (y[1] - y[0]);
    return { height: Math.round(high + 2 * pad), size: Math.max(1.5, Math.min(10, 0.5 * Math.sqrt((wide + 20) * (high + 20) / E.across.length))),
      x: E.across.map(v => (720 - wide) / 2 + (v - x[0]) * scale), y: E.down.map(v => pad + (v - y[0]) * scale) };
  })();
  function scatter(c, values, mapped) {
    const to = new Uint32Array(E.across.length), r = plane.size;
    colour(to, values, mapped);
    for (let i = 0; i < to.length; i++) {
      c.fillStyle = 'rgb(' + (to[i] & 255) + ',' + (to[i] >> 8 & 255) + ',' + (to[i] >> 16 & 255) + ')';
      c.fillRect(plane.x[i] - r, plane.y[i] - r, 2 * r, 2 * r);
    }
  }
  // curve draws values over their points with two deviations on either side; in a thumbnail the line alone.
  function curve(c, w, h, values, spreadOf) {
    const small = !spreadOf, count = values.length, size = E.high[0] - E.low[0], from = E.across[0], to = E.across[count - 1];
    const y = v => h / 2 - (h - (small ? 0 : 70)) * (E.offset[0] + E.unit[0] * v - (E.low[0] + E.high[0]) / 2) / size * 0.85;
    const at = i => (small ? 0 : 70) + (E.across[i] - from) / (to - from || 1) * (w - (small ? 0 : 90));
    if (!small) {
      c.fillStyle = '#d7e3ea'; c.beginPath();
      for (let i = 0; i < count; i++) c.lineTo(at(i), y(values[i] + 2 * spreadOf[i]));
      for (let i = count - 1; i >= 0; i--) c.lineTo(at(i), y(values[i] - 2 * spreadOf[i]));
      c.fill();
      c.fillStyle = '#5b6468'; c.font = '19px Helvetica Neue, Arial, sans-serif'; c.textAlign = 'right';
      [E.low[0], E.high[0]].forEach(v => c.fillText(format(v, 3), 60, y((v - E.offset[0]) / E.unit[0]) + 6));
      c.textAlign = 'left'; c.fillText(format(from, 3), 70, h - 8);
      c.textAlign = 'right'; c.fillText(format(to, 3), w - 20, h - 8);
    }
    c.strokeStyle = '#1f5a7a'; c.lineWidth = small ? 22 : 3; c.beginPath();
    for (let i = 0; i < count; i++) c.lineTo(at(i), y(values[i]));
    c.stroke();
  }
  // table draws the columns of a row as bars around their means, with two deviations on either side, and the values.
  function table(c, w, h, values, spreadOf) {
    const small = !spreadOf, count = values.length, high = h / count, left = small ? 0 : 190, right = small ? w : w - 210, at = v => (left + right) / 2 + Math.max(-1, Math.min(1, v / 3.2)) * (right - left) / 2;
    c.font = Math.min(20, high * 0.7) + 'px Helvetica Neue, Arial, sans-serif';
    c.strokeStyle = '#c9c3b7'; c.lineWidth = 2; c.beginPath(); c.moveTo(at(0), 0); c.lineTo(at(0), h); c.stroke();
    for (let i = 0; i < count; i++) {
      const y = (i + 0.5) * high;
      c.fillStyle = '#5684a0'; c.fillRect(Math.min(at(0), at(values[i])), y - 0.3 * high, Math.abs(at(values[i]) - at(0)), 0.6 * high);
      if (small) continue;
      c.strokeStyle = '#1d2427'; c.beginPath(); c.moveTo(at(values[i] - 2 * spreadOf[i]), y); c.lineTo(at(values[i] + 2 * spreadOf[i]), y); c.stroke();
      let name = E.names ? E.names[i] : 'column ' + i, shown = name;
      while (c.measureText(shown).width > left - 16) shown = (name = name.slice(0, -1)) + '…';
      c.fillStyle = '#1d2427'; c.textAlign = 'right'; c.fillText(shown, left - 12, y + 0.22 * high);
      c.fillStyle = '#5b6468'; c.textAlign = 'left'; c.fillText(format(E.offset[i] + E.unit[i] * values[i], 3) + ' ± ' + format(E.unit[i] * spreadOf[i], 2), right + 14, y + 0.22 * high, w - right - 20);
    }
  }

  function thumb(i, canvas) {
    for (let q = 0; q < d; q++) x[q] = mu[i * d + q];
    F.predict(x, nearestStep(i), out, null);
    paint(canvas, out, null, null);
  }
  // background draws what does not move with the pointer: shade, ellipses, dots, thumbnails, the path.
  let still;
  function background() {
    still = still || document.createElement('canvas');
    still.width = map.width; still.height = map.height;
    const c = still.getContext('2d');
    c.scale(ratio, ratio);
    c.fillStyle = '#fff'; c.fillRect(0, 0, W, H);
    c.imageSmoothingEnabled = true;
    c.drawImage(shade, margin.l, margin.t, W - margin.l - margin.r, H - margin.t - margin.b);
    c.strokeStyle = '#b9b4aa'; c.lineWidth = 1;
    c.strokeRect(margin.l, margin.t, W - margin.l - margin.r, H - margin.t - margin.b);
    c.fillStyle = '#555'; c.font = Math.max(12, Math.min(22, 12.5 * W / (map.clientWidth || W))) + 'px Helvetica Neue, Arial, sans-serif'; c.textAlign = 'center';
    c.fillText('dimension ' + (state.a + 1) + '  →', (W + margin.l) / 2, H - 10);
    c.save(); c.translate(16, H / 2); c.rotate(-Math.PI / 2); c.fillText(state.b < 0 ? 'order of the examples' : 'dimension ' + (state.b + 1) + '  →', 0, 0); c.restore();
    c.save(); c.beginPath(); c.rect(margin.l, margin.t, W - margin.l - margin.r, H - margin.t - margin.b); c.clip();
    if (path && state.b >= 0) {
      c.strokeStyle = 'rgba(60,60,60,.55)'; c.lineWidth = 1.2; c.beginPath();
      for (let k = 0; k < steps; k++) c.lineTo(px(path[k * d + state.a]), py(path[k * d + state.b]));
      c.stroke();
    }
    for (let i = 0; i < n; i++) {
      c.fillStyle = c.strokeStyle = tone(i, n);
      const u = px(mu[i * d + state.a]), v = py(height(i)), scaleX = (W - margin.l - margin.r) / (range[1] - range[0]), scaleY = (H - margin.t - margin.b) / (range[3] - range[2]);
      const wide = sd[i * d + state.a] * scaleX, high = state.b < 0 ? 0 : sd[i * d + state.b] * scaleY;
      if (wide < W / 2 && high < H / 2) { c.globalAlpha = 0.45; c.lineWidth = 1; c.beginPath(); c.ellipse(u, v, wide, high, 0, 0, 7); c.stroke(); }
      c.globalAlpha = 1; c.beginPath(); c.arc(u, v, n > 400 ? 1.8 : 2.8, 0, 7); c.fill();
    }
    if (state.thumbs) thumbs(c);
    c.restore();
  }
  // thumbs draws pictures of examples where there is room.
  function thumbs(c) {
    const taken = [], canvas = document.createElement('canvas'), h = E.kind === 'picture' ? Math.min(54, 54 * E.height / E.width) : 30, w = E.kind === 'picture' ? h * E.width / E.height : plane ? Math.min(90, h * 720 / plane.height) : 54;
    for (let i = 0; i < n; i++) {
      const u = px(mu[i * d + state.a]), v = py(height(i));
      if (u < margin.l + w / 2 || u > W - margin.r - w / 2 || v < margin.t + h / 2 || v > H - margin.b - h / 2) continue;
      if (taken.some(p => Math.abs(p[0] - u) < w + 4 && Math.abs(p[1] - v) < h + 4)) continue;
      taken.push([u, v]);
      thumb(i, canvas);
      c.imageSmoothingEnabled = canvas.width > 2 * w;
      c.drawImage(canvas, u - w / 2, v - h / 2, w, h);
      c.strokeStyle = tone(i, n); c.lineWidth = 1.5; c.strokeRect(u - w / 2, v - h / 2, w, h);
    }
  }

  // draw shows the prediction at the point, and where it is.
  function draw() {
    const begin = performance.now();
    paper.setTransform(1, 0, 0, 1, 0, 0);
    paper.drawImage(still, 0, 0);
    if (state.at) {
      paper.setTransform(ratio, 0, 0, ratio, 0, 0);
      const u = px(state.at[0]), v = py(state.at[1]);
      paper.strokeStyle = '#fff'; paper.lineWidth = 4; paper.beginPath(); paper.arc(u, v, 7, 0, 7); paper.stroke();
      paper.strokeStyle = '#111'; paper.lineWidth = 2; paper.stroke();
    }
    F.predict(x, state.step, out, deviation);
    paint($('mean'), out, deviation, null);
    let total = 0;
    for (let i = 0; i < deviation.length; i++) total += deviation[i];
    const average = total / deviation.length;
    const top = Math.max(most, 1.4 * average);
    if (E.kind === 'picture' || E.kind === 'points') paint($('deviation'), deviation, null, s => s / top);
    if (flat === undefined && E.kind === 'picture') { // everywhere the same: a band of colour says it
      flat = deviation.reduce((a, b) => Math.max(a, b)) < 1.08 * deviation.reduce((a, b) => Math.min(a, b));
      if (flat) $('deviation').parentElement.classList.add('flat');
    }
    $('sure').textContent = format(average * 100, 2) + ' %';
    $('where').textContent = where();
    document.body.dataset.draw = (performance.now() - begin).toFixed(2);
    document.body.dataset.drawn = 1 + Number(document.body.dataset.drawn || 0);
  }
  function where() {
    if (state.example >= 0) return 'example ' + E.examples.number[state.example] + (E.examples.times ? ', time ' + format(E.examples.times[state.example], 4) : '');
    if (state.onPath) return 'time ' + format(E.path.times[state.step], 4);
    return 'a place between the examples';
  }
  let asked = false;
  function later() { if (!asked) { asked = true; requestAnimationFrame(() => { asked = false; draw(); }); } }
  function redraw() { setRange(); setShade(); background(); still && draw(); }

  // move goes to a point of the map, or to the example under it.
  function move(u, v, snap) {
    state.at = [u, v]; state.example = -1; state.onPath = false;
    let best = 49;
    for (let i = 0; snap && i < n; i++) {
      const far = (px(u) - px(mu[i * d + state.a])) ** 2 + (py(v) - py(height(i))) ** 2;
      if (far < best) { best = far; state.example = i; }
    }
    if (state.example < 0) { place(u, v); return later(); }
    show(state.example);
  }
  function show(i) {
    state.example = i; state.onPath = false;
    for (let q = 0; q < d; q++) x[q] = mu[i * d + q];
    state.at = [mu[i * d + state.a], height(i)];
    if (steps && E.time > 0) { state.step = nearestStep(i); slide(); }
    later();
  }
  function go(k) { // to a time of the path
    state.step = k; state.example = -1; state.onPath = true;
    for (let q = 0; q < d; q++) x[q] = path[k * d + q];
    state.at = [x[state.a], state.b < 0 ? k / Math.max(1, steps - 1) : x[state.b]];
    slide(); film(k); later();
  }
  function slide() { const s = $('time'); if (s) { s.value = state.step; $('clock').textContent = format(E.path.times[state.step], 4); } }
  const frames = E.path && E.path.frames ? E.path.frames.map(t => { const i = new Image(); i.src = 'data:image/jpeg;base64,' + t; return i; }) : null;
  function film(k) {
    const c = $('film');
    if (!c || !frames || !frames[k].complete) return;
    c.width = E.width; c.height = E.height;
    c.getContext('2d').drawImage(frames[k], 0, 0);
  }

  // The tour goes from each example to the nearest one that it has not seen yet.
  function makeTour() {
    const left = new Set(Array.from({ length: Math.min(n, 300) }, (_, i) => i)), order = [0];
    left.delete(0);
    while (left.size) {
      const last = order[order.length - 1];
      let best = -1, least = Infinity;
      for (const i of left) {
        let far = 0;
        for (let q = 0; q < d; q++) far += (E.relevance[q] * (mu[i * d + q] - mu[last * d + q]) / spread[q]) ** 2;
        if (far < least) { least = far; best = i; }
      }
      order.push(best); left.delete(best);
    }
    return order;
  }
  function play() {
    state.playing = state.playing ? 0 : 1;
    $('play').textContent = state.playing ? 'Pause' : 'Play';
    $('play').setAttribute('aria-pressed', String(!!state.playing));
    let at = path ? state.step : (play.at || 0), last = 0;
    tour = tour || (path ? null : makeTour());
    function frame(now) {
      if (!state.playing) return;
      if (now - last > (path ? 80 : 30)) {
        last = now;
        if (path) { go(at % steps); at++; }
        else {
          const k = Math.floor(at) % tour.length, t = at - Math.floor(at), i = tour[k], j = tour[(k + 1) % tour.length], s = t * t * (3 - 2 * t);
          for (let q = 0; q < d; q++) x[q] = (1 - s) * mu[i * d + q] + s * mu[j * d + q];
          state.at = [x[state.a], state.b < 0 ? (1 - s) * height(i) + s * height(j) : x[state.b]]; state.example = -1;
          at += 0.06; play.at = at; draw();
        }
      }
      requestAnimationFrame(frame);
    }
    requestAnimationFrame(frame);
  }

  function axis(which, q) {
    if (which === 'a' && q === state.b) state.b = state.a;
    if (which === 'b' && q === state.a) state.a = state.b;
    state[which] = q;
    document.querySelectorAll('[data-axis]').forEach(b => b.setAttribute('aria-pressed', String(state[b.dataset.axis] === Number(b.dataset.dim))));
    redraw();
    if (state.example >= 0) show(state.example); else { state.at = [x[state.a], state.b < 0 ? 0.5 : x[state.b]]; later(); }
  }
  function pointer(e) {
    if (state.playing) play();
    const r = map.getBoundingClientRect();
    move(ux((e.clientX - r.left) * W / r.width), uy((e.clientY - r.top) * H / r.height), true);
  }
  function keys(e) {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[e.key];
    if (step) {
      const fine = e.shiftKey ? 400 : 60, at = state.at || [centre[state.a], 0];
      move(at[0] + step[0] * (range[1] - range[0]) / fine, at[1] + step[1] * (range[3] - range[2]) / fine, false);
    } else if (e.key === 'n' || e.key === 'p') show((state.example + (e.key === 'n' ? 1 : n - 1) + n) % n);
    else if (e.key === ' ') play();
    else if (e.key === 't') $('thumbs').click();
    else return;
    e.preventDefault();
  }
  map.addEventListener('pointermove', pointer);
  map.addEventListener('pointerdown', pointer);
  map.addEventListener('keydown', keys);
  document.querySelectorAll('[data-axis]').forEach(b => b.addEventListener('click', () => axis(b.dataset.axis, Number(b.dataset.dim))));
  $('play').addEventListener('click', play);
  $('thumbs').addEventListener('change', e => { state.thumbs = e.target.checked; background(); draw(); });
  $('follow').addEventListener('change', e => { state.follow = e.target.checked; redraw(); });
  $('colour').addEventListener('change', e => { state.colour = e.target.value; legend(); background(); draw(); });
  if ($('tones')) $('tones').addEventListener('change', e => { state.grey = e.target.value === 'grey'; background(); draw(); });
  if ($('time')) $('time').addEventListener('input', e => { if (state.playing) play(); go(Number(e.target.value)); if (E.time > 0) { setShade(); background(); } });
  document.body.dataset.operations = F.operations;
  setRange(); setShade(); background(); legend();
  if (path) go(0); else show(0);
  if (frames && frames[0]) frames[0].onload = () => film(state.step);
}());

// Every table can be had as comma-separated values, and so can the latent variables.
(function () {
  const save = (link, name, rows) => {
    const cell = v => /[",\n]/.test(v) ? '"' + v.replace(/"/g, '""') + '"' : v;
    link.href = URL.createObjectURL(new Blob([rows.map(r => r.map(v => cell(String(v))).join(',')).join('\n') + '\n'], { type: 'text/csv' }));
    link.download = name + '.csv';
  };
  const link = (after, text) => { const a = document.createElement('a'); a.className = 'csv'; a.textContent = text; a.href = '#'; after.insertAdjacentElement('afterend', a); return a; };
  document.querySelectorAll('table[data-csv]').forEach(t => {
    const a = link(t, 'as CSV');
    a.addEventListener('click', () => save(a, t.dataset.csv, [...t.rows].map(r => [...r.cells].map(c => c.dataset.value || c.textContent.trim()))));
  });
  const a = document.getElementById('latents');
  if (a) a.addEventListener('click', () => {
    const E = JSON.parse(document.getElementById('model').textContent), n = E.examples.count, d = E.dims;
    const floats = t => new Float32Array(Uint8Array.from(atob(t), c => c.charCodeAt(0)).buffer), mu = floats(E.examples.mu), sd = floats(E.examples.sd);
    const dims = Array.from({ length: d }, (_, q) => q), rows = [['example'].concat(E.examples.times ? ['time'] : [], E.examples.label ? ['label'] : [], dims.map(q => 'mean_' + (q + 1)), dims.map(q => 'deviation_' + (q + 1)))];
    for (let i = 0; i < n; i++) rows.push([E.examples.number[i]].concat(E.examples.times ? [E.examples.times[i]] : [], E.examples.label ? [E.examples.label[i]] : [], dims.map(q => mu[i * d + q]), dims.map(q => sd[i * d + q])));
    save(a, 'latents', rows);
  });
}());
