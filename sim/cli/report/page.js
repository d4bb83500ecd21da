// page.js - draws the figures of a report from the JSON in it. No library, no network.
"use strict";
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  for (const spec of data.figures)
    for (const v of spec.variants)
      for (const list of [v.bands || [], v.lines || [], v.rows || []])
        for (const series of list)
          for (const key of ["x", "y", "half", "low"])
            if (series[key]) series[key] = series[key].flatMap(y => Array.isArray(y) ? new Array(y[0]).fill(y[1]) : [y]);
  const SVG = "http://www.w3.org/2000/svg";
  const units = [["s", 1, 180], ["min", 60, 10800], ["h", 3600, 259200], ["d", 86400, Infinity]];

  // ---- Words ----
  const unitOf = span => units.find(u => span <= u[2]);
  function duration(s) {
    const scale = [[120, 1, "s"], [7200, 60, "min"], [172800, 3600, "h"], [63072000, 86400, "d"], [Infinity, 31536000, "y"]];
    const [, one, unit] = scale.find(u => Math.abs(s) < u[0]);
    return figure(s / one) + " " + unit;
  }
  function figure(x) {
    if (x === null || x === undefined) return "-";
    if (Math.abs(x) >= 1000) return Math.round(x).toLocaleString("en-US");
    return String(Number(x.toPrecision(3)));
  }
  // A time of the page's axis: of a dated trace the date (UTC), else the time since the start.
  // Months have three letters, as in plots.
  const date = (t, options) => new Date((data.start_unix_s + t) * 1000).toLocaleString("en-GB", { timeZone: "UTC", ...options }).replace("Sept", "Sep");
  const instant = t => data.start_unix_s === undefined ? duration(t)
    : date(t, { weekday: "short", day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
  // [value, name] of an axis of time, and its label.
  function timeAxis(from, to, width) {
    const count = Math.max(3, Math.floor(width / 110)), span = to - from;
    if (data.start_unix_s === undefined) {
      const [unit, one] = unitOf(span);
      return [ticks(from / one, to / one, count).map(t => [t * one, figure(t)]), `time since the start (${unit})`];
    }
    const steps = [1, 5, 15, 60, 300, 900, 1800, 3600, 10800, 21600, 43200, 86400, 172800, 604800, 1209600, 2592000, 7776000, 31536000];
    const fits = steps.findIndex(s => span / s <= count), list = [];
    // One tic alone tells no length: then the next shorter step.
    for (let at = fits < 0 ? steps.length - 1 : fits; at >= 0 && list.length < 2; at--) {
      const step = steps[at];
      list.length = 0;
      for (let k = Math.ceil((data.start_unix_s + from) / step - 1e-9); k * step <= data.start_unix_s + to; k++) {
        const t = k * step - data.start_unix_s, midnight = (k * step) % 86400 === 0;
        list.push([t, step >= 86400 || midnight ? date(t, { day: "numeric", month: "short" }) : date(t, { hour: "2-digit", minute: "2-digit" })]);
      }
    }
    return [list, `date (UTC), from ${date(from, { day: "numeric", month: "short", year: "numeric" })}`];
  }
  const withUnit = (x, unit) => x === null ? "-" : unit === "s" ? duration(x) : figure(x) + (unit ? " " + unit : "");

  // ---- Elements ----
  function element(name, attributes, parent, text) {
    const svg = ["svg", "g", "path", "line", "rect", "circle", "text", "title"].includes(name);
    const e = svg ? document.createElementNS(SVG, name) : document.createElement(name);
    for (const key in attributes) e.setAttribute(key, attributes[key]);
    if (text !== undefined) e.textContent = text;
    if (parent) parent.append(e);
    return e;
  }
  const colourOf = series => `var(${series.colour})`;
  const dash = i => ["", "6 3", "2 3", "8 3 2 3"][Math.floor(i / 8) % 4];

  // Round steps of 1, 2 or 5 up to the most.
  function ticks(from, to, count) {
    const rough = (to - from) / count, ten = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = [1, 2, 5, 10].map(k => k * ten).find(s => s >= rough * 0.999), list = [];
    for (let k = Math.ceil(from / step - 1e-9); k * step <= to * (1 + 1e-9); k++) list.push(k * step);
    return list;
  }
  const timeTicks = [[1e-6, "1 µs"], [1e-5, "10 µs"], [1e-4, "0.1 ms"], [1e-3, "1 ms"], [0.01, "10 ms"], [0.1, "0.1 s"], [1, "1 s"], [10, "10 s"],
    [60, "1 min"], [600, "10 min"], [3600, "1 h"], [21600, "6 h"], [86400, "1 d"], [604800, "7 d"], [2592000, "30 d"], [31536000, "1 y"]];
  const ratioTicks = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1e3, 3e3, 1e4, 1e5, 1e6].map(x => [x, figure(x)]);

  // What figures over time share: the part of the axis that is seen.
  const overTime = { zoom: null, plots: [] };

  // ---- One figure: which variant, what of it is hidden, what part of the x axis is seen ----
  class Plot {
    constructor(root, spec) {
      Object.assign(this, { root, spec, chosen: 0, hidden: new Set(), own: null });
      this.timed = ["time", "heat"].includes(spec.type);
      if (this.timed) overTime.plots.push(this);
      this.spec.variants = spec.variants.filter(v => (v.bands || []).length + (v.lines || []).length + (v.rows || []).length > 0);
      if (!this.spec.variants.length) { root.textContent = "Nothing to show."; return; }
      this.controls = element("div", { class: "controls" }, root);
      this.svg = element("svg", { role: "img", tabindex: "0" }, root);
      this.tip = element("div", { class: "tip", hidden: "" }, root);
      this.legend = element("div", { class: "legend" }, root);
      this.choose();
      this.listen();
      this.draw();
      new ResizeObserver(() => { if (this.root.clientWidth !== this.width) this.draw(); }).observe(root);
    }
    get zoom() { return this.timed ? overTime.zoom : this.own; }
    zoomTo(range) {
      if (!this.timed) { this.own = range; this.draw(); return; }
      overTime.zoom = range;
      overTime.plots.forEach(p => p.draw());
    }
    get variant() { return this.spec.variants[this.chosen]; }
    get unit() { return this.variant.unit === undefined ? this.spec.unit : this.variant.unit; }

    choose() {
      const list = this.spec.variants, pick = k => { this.chosen = k; this.own = null; this.draw(); };
      if (list.length > 1 && list.length <= 4 && list.every(v => v.name.length < 30))
        this.buttons = list.map((v, k) => {
          const b = element("button", { type: "button" }, this.controls, v.name);
          b.onclick = () => pick(k);
          return b;
        });
      else if (list.length > 1) {
        const select = element("select", { "aria-label": "what is shown" }, this.controls);
        list.forEach((v, k) => element("option", { value: k }, select, v.name));
        select.onchange = () => pick(select.selectedIndex);
      }
      this.reset = element("button", { type: "button", class: "reset", hidden: "" }, this.controls, "whole axis");
      this.reset.onclick = () => this.zoomTo(null);
      const kept = element("span", { class: "keep" }, this.controls);
      const link = (name, what) => { element("button", { type: "button", class: "save" }, kept, name).onclick = what; };
      link("SVG", () => this.save(this.svgText(), "image/svg+xml", "svg"));
      link("CSV", () => this.save(this.csvText(), "text/csv", "csv"));
    }

    draw() {
      this.width = this.root.clientWidth;
      if (!this.width) return;
      (this.buttons || []).forEach((b, k) => b.setAttribute("aria-pressed", k === this.chosen));
      this.reset.hidden = !this.zoom;
      this.svg.replaceChildren();
      this.tip.hidden = true;
      const v = this.variant;
      this.svg.setAttribute("aria-label", (this.spec.title || "figure") + (v.name ? ": " + v.name : ""));
      if (this.spec.type === "bars") this.drawBars(v);
      else if (this.spec.type === "heat") this.drawHeat(v);
      else if (this.spec.type === "gantt") this.drawGantt(v);
      else if (this.spec.type === "sweep") this.drawSweep(v);
      else this.drawCurves(v);
      this.drawLegend();
    }

    size(height) {
      this.svg.setAttribute("viewBox", `0 0 ${this.width} ${height}`);
      this.svg.setAttribute("height", height);
      this.height = height;
    }
    text(x, y, anchor, content, parent) {
      return element("text", { x: x.toFixed(1), y: y.toFixed(1), "text-anchor": anchor }, parent || this.svg, content);
    }
    // Below its tic, and inside of the picture: some seven pixels a character.
    ticName(value, y, name, parent) {
      const half = 3.6 * name.length;
      this.text(Math.max(half, Math.min(this.x(value), this.width - half)), y, "middle", name, parent);
    }

    // ---- Curves: levels over time, or distributions ----
    drawCurves(v) {
      const cdf = this.spec.type === "cdf", lines = v.lines || [], bands = v.bands || [];
      const seen = list => list.filter(s => !this.hidden.has(s.name));
      this.size(this.width < 600 ? 280 : 360);
      this.frame = { left: 68, right: this.width - 14, top: 10, bottom: this.height - 44 };
      if (cdf) this.logAxis(v); else this.whole = [0, data.length_s];
      const [from, to] = this.zoom || this.whole;
      const fr = this.frame, map = cdf ? Math.log : x => x;
      this.x = value => fr.left + (map(value) - map(from)) / (map(to) - map(from)) * (fr.right - fr.left);
      this.back = px => { const t = map(from) + (px - fr.left) / (fr.right - fr.left) * (map(to) - map(from)); return cdf ? Math.exp(t) : t; };
      this.coarsen(bands.concat(lines), cdf, (to - from) / data.length_s);
      const n = this.steps, y = s => this.levels.get(s);
      // Bands from the bottom up, hidden ones left out.
      const sums = [new Array(n).fill(0)];
      for (const b of seen(bands)) sums.push(sums[sums.length - 1].map((s, k) => s + (y(b)[k] || 0)));
      const a = cdf ? 0 : Math.floor(from / this.width_s), z = cdf ? 0 : Math.ceil(to / this.width_s);
      let most = cdf ? 100 : Math.max(0, ...sums[sums.length - 1].slice(a, z));
      if (!cdf) for (const l of seen(lines)) most = Math.max(most, ...y(l).slice(a, z));
      if (!cdf) most = most > 0 ? most * 1.04 : 1;
      this.y = value => fr.bottom - value / most * (fr.bottom - fr.top);
      this.axes(cdf, from, to, most);
      const inside = this.inside();
      let k = 1;
      for (const b of bands) {
        if (this.hidden.has(b.name)) continue;
        element("path", { d: this.area(sums[k - 1], sums[k]), style: `fill:${colourOf(b)}` }, inside);
        k++;
      }
      lines.forEach((l, i) => {
        if (this.hidden.has(l.name)) return;
        const d = cdf ? this.curve(l) : this.outline(y(l));
        element("path", { d, style: `fill:none;stroke:${colourOf(l)};stroke-width:${bands.length ? 1.2 : 1.8};stroke-dasharray:${dash(i)}` }, inside);
      });
      this.overlay();
    }
    // Where steps would be narrower than two pixels, neighbours become one, with their mean.
    coarsen(list, cdf, seen) {
      const n = Math.max(0, ...list.map(s => cdf ? 0 : s.y.length)), width = this.frame.right - this.frame.left;
      const factor = Math.max(1, Math.ceil(n * seen / (width / 2)));
      this.steps = Math.ceil(n / factor);
      this.levels = new Map();
      for (const s of cdf ? [] : list) {
        const means = [];
        for (let k = 0; k < n; k += factor) {
          const known = s.y.slice(k, k + factor).filter(v => v !== null);
          means.push(known.length ? known.reduce((a, b) => a + b) / known.length : null);
        }
        this.levels.set(s, means);
      }
      this.width_s = n ? data.length_s / n * factor : 0;
    }
    logAxis(v) {
      let least = Infinity, most = 0;
      for (const l of v.lines)
        for (const x of l.x) { if (x > 0 && x < least) least = x; if (x > most) most = x; }
      if (!(most > 0)) [least, most] = [1, 10];
      if (this.unit === "s" && least < 1 && most >= 1000) least = 1;
      least = Math.max(least * 0.9, most / 1e7);
      this.whole = [least, Math.max(most * 1.1, least * 10)];
    }
    axes(cdf, from, to, most) {
      const fr = this.frame, g = element("g", { class: "axis" }, this.svg);
      for (const t of ticks(0, most, 5)) {
        element("line", { class: "grid", x1: fr.left, x2: fr.right, y1: this.y(t), y2: this.y(t) }, g);
        this.text(fr.left - 6, this.y(t) + 4, "end", figure(t), g);
      }
      let label = cdf ? (this.unit === "s" ? this.variant.name : this.variant.name + ", times") + " (log scale)" : "";
      let list;
      if (cdf) {
        list = (this.unit === "s" ? timeTicks : ratioTicks).filter(t => t[0] >= from && t[0] <= to);
        if (list.length < 3) {
          const one = this.unit === "s" ? unitOf(to)[1] : 1, word = this.unit === "s" ? " " + unitOf(to)[0] : "";
          list = ticks(from / one, to / one, 5).map(t => [t * one, figure(t) + word]);
        }
        let last = -Infinity;
        list = list.filter(t => { const px = this.x(t[0]), ok = px - last > 52 && px < fr.right - 10; if (ok) last = px; return ok; });
      } else {
        [list, label] = timeAxis(from, to, this.width);
      }
      for (const [value, name] of list) {
        element("line", { class: "grid", x1: this.x(value), x2: this.x(value), y1: fr.top, y2: fr.bottom }, g);
        this.ticName(value, fr.bottom + 19, name, g);
      }
      element("path", { class: "edge", d: `M${fr.left} ${fr.top}V${fr.bottom}H${fr.right}` }, g);
      this.text((fr.left + fr.right) / 2, fr.bottom + 38, "middle", label, g);
      const unit = cdf ? "share of jobs (%)" : this.unit || this.variant.name;
      const side = this.text(0, 0, "middle", unit, g);
      side.setAttribute("transform", `translate(13 ${(fr.top + fr.bottom) / 2}) rotate(-90)`);
    }
    at(k) { return this.x(Math.min(k * this.width_s, data.length_s)).toFixed(1); }
    outline(y) {
      let d = "", pen = false;
      for (let k = 0; k < y.length; k++) {
        if (y[k] === null) { pen = false; continue; }
        d += pen ? `V${this.y(y[k]).toFixed(1)}H${this.at(k + 1)}` : `M${this.at(k)} ${this.y(y[k]).toFixed(1)}H${this.at(k + 1)}`;
        pen = true;
      }
      return d;
    }
    area(low, high) {
      let d = `M${this.at(0)} ${this.y(high[0]).toFixed(1)}`, n = high.length;
      for (let k = 0; k < n; k++) d += `V${this.y(high[k]).toFixed(1)}H${this.at(k + 1)}`;
      for (let k = n - 1; k >= 0; k--) d += `V${this.y(low[k]).toFixed(1)}H${this.at(k)}`;
      return d + "Z";
    }
    curve(l) {
      const [least, most] = this.whole;
      let share = 0, d = "";
      for (let k = 0; k < l.x.length; k++) {
        if (l.x[k] > least) {
          if (!d) d = `M${this.x(least).toFixed(1)} ${this.y(share).toFixed(1)}`;
          d += `H${this.x(l.x[k]).toFixed(1)}V${this.y(l.y[k]).toFixed(1)}`;
        }
        share = l.y[k];
      }
      if (!d) d = `M${this.x(least).toFixed(1)} ${this.y(share).toFixed(1)}`;
      return d + `H${this.x(most).toFixed(1)}`;
    }

    // ---- Bars: a row of parts that lie end to end ----
    drawBars(v) {
      const share = this.spec.id === "ledger", shown = v.parts.map((p, i) => i).filter(i => !this.hidden.has(v.parts[i]));
      const narrow = this.width < 600, row = narrow ? 46 : 30;
      const left = narrow ? 8 : Math.min(260, 12 + 7 * Math.max(...v.rows.map(r => r.name.length)));
      this.size(8 + row * v.rows.length + 42);
      const right = this.width - 16, total = r => shown.reduce((s, i) => s + r.y[i], 0);
      const most = share ? 100 : Math.max(...v.rows.map(total)) || 1, g = element("g", { class: "axis" }, this.svg);
      const x = value => left + value / most * (right - left), bottom = 8 + row * v.rows.length;
      for (const t of ticks(0, most, Math.max(2, Math.floor(this.width / 130)))) {
        element("line", { class: "grid", x1: x(t), x2: x(t), y1: 4, y2: bottom }, g);
        this.text(Math.min(x(t), right - 4), bottom + 16, "middle", figure(t), g);
      }
      this.text((left + right) / 2, bottom + 34, "middle", share ? "share of all GPU time (%)" : this.unit === "h" ? "hours" : this.unit, g);
      v.rows.forEach((r, k) => {
        const y = 8 + row * k + (narrow ? 18 : 3), height = 22, whole = total(r) || 1;
        const cut = narrow ? Math.floor((this.width - 20) / 7) : 34;
        const name = r.name.length > cut ? r.name.slice(0, cut - 1) + "…" : r.name;
        const label = this.text(narrow ? left : left - 8, narrow ? y - 5 : y + 15, narrow ? "start" : "end", name);
        element("title", {}, label, r.name);
        let from = 0;
        for (const i of shown) {
          const value = share ? r.y[i] / whole * 100 : r.y[i];
          if (!(value > 0)) continue;
          const rect = element("rect", { x: x(from).toFixed(1), y, width: Math.max(0.5, x(from + value) - x(from)).toFixed(1), height,
            style: `fill:var(${v.colours[i]});stroke:var(--back);stroke-width:.6` }, this.svg);
          const words = [[`var(${v.colours[i]})`, v.parts[i], figure(r.y[i]) + " " + this.unit + (share ? ` (${figure(value)} %)` : "")]];
          rect.onpointerenter = rect.onpointermove = e => this.say(r.name, words, e);
          rect.onpointerleave = () => { this.tip.hidden = true; };
          from += value;
        }
      });
    }
    // ---- A sweep: means with their intervals over a parameter ----
    drawSweep(v) {
      const seen = v.lines.filter(l => !this.hidden.has(l.name)), xs = v.lines.flatMap(l => l.x), bare = Math.max(...xs) === Math.min(...xs);
      this.size(this.width < 600 ? 280 : 360);
      const fr = this.frame = { left: 64, right: this.width - 18, top: 10, bottom: this.height - 44 };
      const room = bare ? 1 : (Math.max(...xs) - Math.min(...xs)) * 0.05, from = Math.min(...xs) - room, to = Math.max(...xs) + room;
      const most = Math.max(1e-9, ...seen.flatMap(l => l.y.map((y, k) => y + l.half[k]))) * 1.06;
      const x = value => fr.left + (value - from) / (to - from) * (fr.right - fr.left), y = value => fr.bottom - value / most * (fr.bottom - fr.top);
      const g = element("g", { class: "axis" }, this.svg);
      let last = -Infinity;
      for (const value of [...new Set(xs)].sort((a, b) => a - b)) {
        const name = v.labels ? v.labels[value] : figure(value);
        if (x(value) - last < 8 + 7 * name.length) continue;
        last = x(value);
        this.text(last, fr.bottom + 19, "middle", name, g);
      }
      const unit = this.unit === "s" ? unitOf(most) : [this.unit, 1];
      for (const t of ticks(0, most / unit[1], 5)) {
        element("line", { class: "grid", x1: fr.left, x2: fr.right, y1: y(t * unit[1]), y2: y(t * unit[1]) }, g);
        this.text(fr.left - 6, y(t * unit[1]) + 4, "end", figure(t), g);
      }
      element("path", { class: "edge", d: `M${fr.left} ${fr.top}V${fr.bottom}H${fr.right}` }, g);
      this.text((fr.left + fr.right) / 2, fr.bottom + 38, "middle", this.spec.axis, g);
      this.text(0, 0, "middle", v.name + (unit[0] ? ` (${unit[0]})` : ""), g)
        .setAttribute("transform", `translate(13 ${(fr.top + fr.bottom) / 2}) rotate(-90)`);
      v.lines.forEach((l, i) => {
        if (this.hidden.has(l.name)) return;
        const style = `stroke:${colourOf(l)};stroke-width:1.6`;
        element("path", { d: l.x.map((value, k) => `${k ? "L" : "M"}${x(value).toFixed(1)} ${y(l.y[k]).toFixed(1)}`).join(""),
          style: `fill:none;${style};stroke-dasharray:${dash(i)}` }, this.svg);
        l.x.forEach((value, k) => {
          const low = Math.max(0, l.y[k] - l.half[k]), high = l.y[k] + l.half[k], px = x(value).toFixed(1);
          element("path", { d: `M${px} ${y(low).toFixed(1)}V${y(high).toFixed(1)}`, style }, this.svg);
          const dot = element("circle", { cx: px, cy: y(l.y[k]).toFixed(1), r: 4, style: `fill:${colourOf(l)}` }, this.svg);
          dot.onpointerenter = e => this.say(this.spec.axis + " " + (v.labels ? v.labels[value] : value),
            [[colourOf(l), l.name, withUnit(l.y[k], this.unit) + " ± " + withUnit(l.half[k], this.unit)]], e);
          dot.onpointerleave = () => { this.tip.hidden = true; };
        });
      });
    }

    // ---- Heat: a row for each node ----
    drawHeat(v) {
      const row = Math.max(5, Math.min(26, Math.floor(420 / v.rows.length)));
      const top = 6, bottom = top + row * v.rows.length;
      this.size(bottom + 62);
      this.timeFrame([0, data.length_s], top, bottom);
      const n = v.rows[0].y.length, inside = this.inside(), wide = v.length_s / n;
      v.rows.forEach((r, k) => {
        let from = 0;
        for (let t = 1; t <= n; t++) {
          if (t < n && r.y[t] === r.y[from]) continue;
          if (r.y[from] > 0)
            element("rect", { x: this.x(from * wide).toFixed(1), y: top + k * row, width: (this.x(t * wide) - this.x(from * wide) + 0.3).toFixed(1),
              height: row - (row > 8 ? 1 : 0), style: `fill:var(--l1);opacity:${(r.y[from] / 100).toFixed(2)}` }, inside);
          from = t;
        }
        if (k % Math.ceil(14 / row) === 0) this.rowName(r.name, top + k * row + row / 2 + 4);
      });
      const many = v.nodes_per_row > 1 ? `, ${v.nodes_per_row} nodes a row` : "";
      this.axisNote(`full colour: all GPUs held${many}`);
      this.heat = { top, row, n, rows: v.rows, length: v.length_s };
      this.overlay();
    }
    // ---- Gantt: a lane for each GPU, boxes of jobs; an axis of its own, as it may be of a part of the run ----
    drawGantt(v) {
      const lanes = v.rows[v.rows.length - 1].y[1], lane = Math.max(5, Math.min(22, Math.floor(420 / lanes))), top = 6, start = v.from_s || 0;
      this.size(top + lane * lanes + 44);
      this.timeFrame([start, start + v.length_s], top, top + lane * lanes);
      const fr = this.frame, [from, to] = this.zoom || this.whole, inside = this.inside();
      let last = -14, k = 0;
      for (const r of v.rows) {
        const y = top + lane * r.y[0];
        element("line", { class: "grid", x1: fr.left, x2: fr.right, y1: y, y2: y }, inside);
        if (y - last < 14) continue;
        last = y;
        this.rowName(r.name, y + Math.min(14, lane * (r.y[1] - r.y[0])));
      }
      for (const b of v.bands)
        b.x.forEach((x, i) => {
          const job = v.labels[k++], a = start + x, z = start + b.y[i];
          if (this.hidden.has(b.name) || z < from || a > to) return;
          const width = this.x(z) - this.x(a), height = lane * (b.low[i] - b.half[i]);
          const box = element("rect", { x: this.x(a).toFixed(1), y: (top + lane * b.half[i]).toFixed(1), width: Math.max(0.4, width).toFixed(1), height: height.toFixed(1),
            style: `fill:${colourOf(b)};stroke:var(--back);stroke-width:.5` }, inside);
          const node = v.rows.filter(r => r.y[0] <= b.half[i] + 1e-9).pop();
          box.onpointerenter = box.onpointermove = e => { if (this.from === undefined) this.say("job " + job, [[colourOf(b), b.name, "node " + node.name], ["transparent", instant(a), duration(z - a)]], e); };
          box.onpointerleave = () => { this.tip.hidden = true; };
        });
      this.selection = element("rect", { class: "chosen", y: fr.top, height: fr.bottom - fr.top, visibility: "hidden" }, this.svg);
    }
    // The axis of time below rows of nodes.
    timeFrame(whole, top, bottom) {
      const fr = this.frame = { left: 62, right: this.width - 12, top, bottom };
      this.whole = whole;
      const [from, to] = this.zoom || this.whole, g = element("g", { class: "axis" }, this.svg), [list, label] = timeAxis(from, to, this.width);
      this.x = value => fr.left + (value - from) / (to - from) * (fr.right - fr.left);
      this.back = px => from + (px - fr.left) / (fr.right - fr.left) * (to - from);
      for (const [value, name] of list) this.ticName(value, bottom + 16, name, g);
      element("path", { class: "edge", d: `M${fr.left} ${top}V${bottom}H${fr.right}` }, g);
      this.axisLabel = this.text((fr.left + fr.right) / 2, bottom + 36, "middle", label, g);
    }
    // A line below the label of the axis.
    axisNote(note) {
      const fr = this.frame;
      this.text((fr.left + fr.right) / 2, fr.bottom + 52, "middle", note, this.axisLabel.parentNode);
    }
    rowName(name, y) {
      const label = this.text(this.frame.left - 6, y, "end", name.length > 8 ? "…" + name.slice(-7) : name, element("g", { class: "axis" }, this.svg));
      element("title", {}, label, name);
    }
    // A group that shows nothing outside of the frame.
    inside() {
      const fr = this.frame, id = "clip-" + this.spec.id, clip = document.createElementNS(SVG, "clipPath");
      clip.setAttribute("id", id);
      element("rect", { x: fr.left, y: fr.top - 2, width: fr.right - fr.left, height: fr.bottom - fr.top + 4 }, clip);
      this.svg.append(clip);
      return element("g", { "clip-path": `url(#${id})` }, this.svg);
    }
    // What follows the pointer lies above all else.
    overlay() {
      const fr = this.frame;
      this.cursor = element("line", { class: "cursor", y1: fr.top, y2: fr.bottom, visibility: "hidden" }, this.svg);
      this.selection = element("rect", { class: "chosen", y: fr.top, height: fr.bottom - fr.top, visibility: "hidden" }, this.svg);
    }

    // ---- Legend ----
    drawLegend() {
      const v = this.variant, list = [];
      this.legend.replaceChildren();
      if (this.spec.type === "heat") return;
      if (this.spec.type === "bars")
        v.parts.forEach((p, i) => { if (v.rows.some(r => r.y[i] > 0)) list.push([p, `var(${v.colours[i]})`, false]); });
      else {
        (v.bands || []).forEach((b, i) => list.push([b.name, colourOf(b), false]));
        (v.lines || []).forEach((l, i) => list.push([l.name, colourOf(l), true]));
      }
      for (const [name, colour, line] of list) {
        const b = element("button", { type: "button", "aria-pressed": !this.hidden.has(name) }, this.legend);
        element("i", { class: line ? "stroke" : "", style: `background:${colour}` }, b);
        b.append(name);
        b.onclick = () => {
          if (!this.hidden.delete(name)) this.hidden.add(name);
          this.draw();
          [...this.legend.children].find(c => c.textContent === name).focus();
        };
      }
    }

    // ---- Pointer and keys ----
    listen() {
      const px = e => (e.clientX - this.svg.getBoundingClientRect().left) * this.width / this.svg.getBoundingClientRect().width;
      const py = e => e.clientY - this.svg.getBoundingClientRect().top;
      this.svg.addEventListener("pointermove", e => {
        if (this.spec.type === "gantt") this.select(px(e));
        if (this.spec.type === "heat") { this.select(px(e)); this.pointHeat(px(e), py(e), e); }
        else if (this.cursor && ["time", "cdf"].includes(this.spec.type)) this.point(px(e), e);
      });
      this.svg.addEventListener("pointerdown", e => {
        if (!(this.timed || ["cdf", "gantt"].includes(this.spec.type)) || e.pointerType === "touch") return;
        this.from = px(e);
        this.svg.setPointerCapture(e.pointerId);
      });
      this.svg.addEventListener("pointerup", e => {
        const a = Math.min(this.from, px(e)), z = Math.max(this.from, px(e));
        this.from = undefined;
        if (!(z - a > 8)) return;
        this.zoomTo([Math.max(this.whole[0], this.back(a)), Math.min(this.whole[1], this.back(z))]);
      });
      this.svg.addEventListener("dblclick", () => this.zoomTo(null));
      this.svg.addEventListener("pointerleave", () => this.away());
      this.svg.addEventListener("blur", () => this.away());
      this.svg.addEventListener("keydown", e => {
        if (!["time", "cdf", "gantt"].includes(this.spec.type)) return;
        const step = { ArrowLeft: -1, ArrowRight: 1 }[e.key] || 0;
        if (e.key === "Escape") this.zoomTo(null);
        if (e.key === "+" || e.key === "-") {
          const [from, to] = this.zoom || this.whole, at = this.back(this.key || (this.frame.left + this.frame.right) / 2), factor = e.key === "+" ? 0.5 : 2;
          const range = this.spec.type === "cdf" ? [at * Math.pow(from / at, factor), at * Math.pow(to / at, factor)] : [at + (from - at) * factor, at + (to - at) * factor];
          const cut = [Math.max(this.whole[0], range[0]), Math.min(this.whole[1], range[1])];
          this.zoomTo(cut[0] <= this.whole[0] && cut[1] >= this.whole[1] ? null : cut);
        }
        if (!step || this.spec.type === "gantt") return;
        e.preventDefault();
        const fr = this.frame;
        this.key = Math.min(fr.right, Math.max(fr.left, (this.key || fr.left) + step * Math.max(2, (fr.right - fr.left) / 100)));
        this.point(this.key, null);
      });
    }
    away() {
      this.tip.hidden = true;
      for (const p of this.timed ? overTime.plots : [this])
        if (p.cursor) p.cursor.setAttribute("visibility", "hidden");
    }
    // The line of the cursor, in all figures over time.
    follow(x) {
      const t = this.back(x);
      for (const p of this.timed ? overTime.plots : [this]) {
        if (!p.cursor) continue;
        p.cursor.setAttribute("x1", p.x(t));
        p.cursor.setAttribute("x2", p.x(t));
        p.cursor.setAttribute("visibility", "visible");
      }
    }
    select(x) {
      if (this.from === undefined) return;
      this.selection.setAttribute("x", Math.min(this.from, x));
      this.selection.setAttribute("width", Math.abs(x - this.from));
      this.selection.setAttribute("visibility", "visible");
    }
    point(x, event) {
      const fr = this.frame, v = this.variant;
      if (x < fr.left - 2 || x > fr.right + 2) { this.away(); return; }
      if (event) this.select(x);
      this.follow(x);
      const value = this.back(x), words = [];
      if (this.spec.type === "cdf")
        v.lines.forEach((l, i) => {
          if (this.hidden.has(l.name)) return;
          let share = 0;
          for (let k = 0; k < l.x.length && l.x[k] <= value; k++) share = l.y[k];
          words.push([colourOf(l), l.name, figure(share) + " %"]);
        });
      else {
        const k = Math.min(this.steps - 1, Math.max(0, Math.floor(value / this.width_s)));
        (v.bands || []).map((b, i) => [b, colourOf(b)]).reverse().concat((v.lines || []).map((l, i) => [l, colourOf(l)]))
          .forEach(([s, colour]) => { if (!this.hidden.has(s.name)) words.push([colour, s.name, withUnit(this.levels.get(s)[k], this.unit)]); });
      }
      this.say(this.spec.type === "cdf" ? "at most " + withUnit(value, this.unit) : instant(value), words, event, x);
    }
    pointHeat(x, y, event) {
      const h = this.heat, fr = this.frame, at = this.back(x), t = Math.floor(at / h.length * h.n), k = Math.floor((y - h.top) / h.row);
      if (x < fr.left || x > fr.right || t < 0 || t >= h.n || !h.rows[k]) { this.away(); return; }
      this.follow(x);
      this.say("node " + h.rows[k].name, [["var(--l1)", instant(at), h.rows[k].y[t] + " %"]], event);
    }

    // ---- To keep: the picture with its colours in it, and the numbers of what is seen ----
    save(text, type, ending) {
      const link = element("a", { href: URL.createObjectURL(new Blob([text], { type })), download: `${this.spec.id}.${ending}` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    }
    svgText() {
      const copy = this.svg.cloneNode(true), style = getComputedStyle(document.documentElement), own = [...this.svg.querySelectorAll("*")];
      copy.setAttribute("xmlns", SVG);
      copy.setAttribute("width", this.width);
      copy.querySelectorAll("*").forEach((e, k) => {
        const seen = getComputedStyle(own[k]);
        for (const name of ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "visibility"]) e.style.setProperty(name, seen.getPropertyValue(name));
        if (e.tagName === "text") e.style.setProperty("font", "12px sans-serif");
      });
      copy.style.background = style.getPropertyValue("--back");
      return new XMLSerializer().serializeToString(copy);
    }
    csvText() {
      const v = this.variant, quote = text => /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text, lines = [];
      const series = (v.bands || []).concat(v.lines || []);
      const put = cells => lines.push(cells.map(c => c === null || c === undefined ? "" : typeof c === "number" ? String(c) : quote(c)).join(","));
      if (this.spec.type === "time") {
        put(["time_s"].concat(series.map(s => s.name)));
        const n = series[0].y.length, one = data.length_s / n, [from, to] = this.zoom || this.whole;
        for (let k = Math.floor(from / one); k < n && k * one < to; k++) put([k * one].concat(series.map(s => s.y[k])));
      } else if (this.spec.type === "cdf" || this.spec.type === "sweep") {
        put(["series", "x", "y"].concat(this.spec.type === "sweep" ? ["half_width"] : []));
        for (const s of series) s.x.forEach((x, k) => put([s.name, v.labels ? v.labels[x] : x, s.y[k]].concat(s.half ? [s.half[k]] : [])));
      } else if (this.spec.type === "gantt") {
        let k = 0;
        put(["job", "queue", "start_s", "end_s", "lane_top", "lane_bottom"]);
        for (const b of v.bands) b.x.forEach((x, i) => put([v.labels[k++], b.name, (v.from_s || 0) + x, (v.from_s || 0) + b.y[i], b.half[i], b.low[i]]));
      } else {
        const columns = v.parts || v.rows[0].y.map((y, k) => String(k * v.length_s / v.rows[0].y.length));
        put(["name"].concat(columns));
        for (const r of v.rows) put([r.name].concat(r.y));
      }
      return lines.join("\n") + "\n";
    }
    say(title, words, event, x) {
      const box = this.root.getBoundingClientRect();
      this.tip.replaceChildren();
      element("b", {}, this.tip, title);
      for (const [colour, name, value] of words) {
        const line = element("div", {}, this.tip);
        element("i", { style: `background:${colour}` }, line);
        line.append(name + ": ");
        element("b", {}, line, value);
      }
      this.tip.hidden = false;
      const px = event ? event.clientX - box.left : x, py = event ? event.clientY - box.top : this.svg.offsetTop + 20;
      const left = px + 14 + this.tip.offsetWidth > this.width ? px - 14 - this.tip.offsetWidth : px + 14;
      this.tip.style.left = Math.max(0, Math.min(left, this.width - this.tip.offsetWidth)) + "px";
      this.tip.style.top = Math.max(0, py - this.tip.offsetHeight / 2) + "px";
    }
  }

  // ---- Tables that are sorted by the column whose name is pressed: the greatest first, then the least ----
  for (const table of document.querySelectorAll("table.sortable"))
    [...table.tHead.rows[0].cells].forEach((head, k) => {
      const button = element("button", { type: "button" }, null, head.textContent), value = row => row.cells[k].dataset.value;
      head.replaceChildren(button);
      button.onclick = () => {
        const down = head.getAttribute("aria-sort") !== "descending", rows = [...table.tBodies[0].rows];
        [...table.tHead.rows[0].cells].forEach(c => c.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const order = (a, b) => value(a) === undefined ? a.cells[k].textContent.localeCompare(b.cells[k].textContent, "en", { numeric: true })
          : (value(a) === "") - (value(b) === "") || value(a) - value(b);
        rows.sort((a, b) => (down ? -1 : 1) * order(a, b)).forEach(r => table.tBodies[0].append(r));
      };
    });
  // A link to a story opens it.
  const open = () => { const story = location.hash.length > 1 && document.getElementById(location.hash.slice(1)); if (story && story.tagName === "DETAILS") story.open = true; };
  addEventListener("hashchange", open);
  open();

  document.documentElement.classList.add("drawn");
  for (const spec of data.figures) {
    const at = document.getElementById("figure-" + spec.id);
    at.querySelector(".static").remove();
    spec.title = at.querySelector("h3").textContent;
    new Plot(at.querySelector(".plot"), spec);
  }
})();
