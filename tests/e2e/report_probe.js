// report_probe.js - put into the head of a copy of a page by report.sh: looks at it in the browser, works its figures, and tells the page
// that shows it in a frame what it found, a line each: "ok WHAT" or "FAILED WHAT". location.hash is "#WIDTH", of the frame; "#WIDTHstill" is a
// page whose own scripts do not run.
(function () {
  const errors = [], found = [];
  window.addEventListener("error", e => errors.push(e.message || "a resource"), true);
  window.addEventListener("unhandledrejection", e => errors.push(String(e.reason)));
  document.addEventListener("securitypolicyviolation", e => errors.push("blocked: " + e.blockedURI));
  for (const kind of ["error", "warn"]) console[kind] = (...words) => errors.push(words.join(" "));
  SVGElement.prototype.setPointerCapture = () => { };      // of a pointer that is not there
  const check = (what, good, more) => found.push((good ? "ok " : "FAILED ") + what + (good || more === undefined ? "" : ": " + more));
  const visible = e => e.getClientRects().length > 0 && getComputedStyle(e).visibility !== "hidden";
  const pointer = (at, kind, x, y) => at.dispatchEvent(new PointerEvent(kind, { clientX: x, clientY: y, bubbles: true, pointerId: 1, pointerType: "mouse" }));

  function luminance(colour) {
    const [r, g, b] = colour.match(/[\d.]+/g).slice(0, 3).map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }
  // WCAG 2.1, 1.4.3: 4.5 for text.
  function contrast(e) {
    let back = e;
    while (back && /rgba\(0, 0, 0, 0\)|transparent/.test(getComputedStyle(back).backgroundColor)) back = back.parentElement;
    const a = luminance(getComputedStyle(e).color), b = luminance(getComputedStyle(back || document.body).backgroundColor);
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  }
  const overlaps = list => list.some((a, i) => list.slice(i + 1).some(b =>
    a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1));

  const specOf = figure => JSON.parse(document.getElementById("data").textContent).figures.find(f => "figure-" + f.id === figure.id);
  // Zoomed with "+" until an hour is seen: then there are steps of at most five minutes in it, on a page of at most a month.
  function hour(svg, reset) {
    reset.click();
    const data = JSON.parse(document.getElementById("data").textContent);
    for (let span = data.length_s; span > 3600; span /= 2) svg.dispatchEvent(new KeyboardEvent("keydown", { key: "+", bubbles: true }));
    return data.length_s / data.steps <= 300 && (data.length_s <= 3600 || visible(reset));
  }
  function works(figure) {
    const svg = figure.querySelector("svg"), name = figure.id, box = svg.getBoundingClientRect();
    const shapes = () => svg.querySelectorAll("g > path[style], path[style], rect[style]").length;
    const tip = figure.querySelector(".tip"), spec = JSON.parse(document.getElementById("data").textContent).figures.find(f => "figure-" + f.id === name);
    check(name + " is drawn", visible(svg) && box.width > 300 && box.height > 40 && shapes() > 0, shapes());
    const labels = [...svg.querySelectorAll("text")].map(t => t.getBoundingClientRect()).filter(r => r.width > 0);
    check(name + " has words", labels.length > 3);
    check(name + ": words do not overlap", !overlaps(labels));
    check(name + ": words lie inside", labels.every(r => r.left >= box.left - 1 && r.right <= box.right + 1), "at " + innerWidth);
    const dated = JSON.parse(document.getElementById("data").textContent).start_unix_s !== undefined && /^(time|heat)$/.test(spec.type);
    const dates = [...svg.querySelectorAll(".axis text")].map(t => t.textContent).filter(t => /^(\d+ [A-Z]|\d\d:\d\d$)/.test(t));
    check(name + ": dates stand at two tics or more", !dated || dates.length > 1, dates);
    const saves = [...figure.querySelectorAll(".save")].map(b => b.getBoundingClientRect().top);
    check(name + ": SVG and CSV stand side by side", new Set(saves).size === 1, saves);
    check(name + ": words are readable", [...svg.querySelectorAll("text")].every(t => parseFloat(getComputedStyle(t).fontSize) >= 12));
    svg.scrollIntoView({ block: "center" });
    const at = svg.getBoundingClientRect();
    if (spec.type === "time" || spec.type === "cdf") {
      pointer(svg, "pointermove", at.left + at.width / 2, at.top + at.height / 2);
      check(name + " tells values", visible(tip) && /\d/.test(tip.textContent) && tip.querySelectorAll("div").length > 0, tip.textContent);
      const inside = tip.getBoundingClientRect();
      check(name + ": they lie inside", inside.left >= 0 && inside.right <= innerWidth);
      const edge = () => svg.querySelector(".axis").textContent, whole = edge(), reset = figure.querySelector(".reset");
      const others = [...document.querySelectorAll("figure")].filter(f => f !== figure && /^(time|heat)$/.test(specOf(f).type)), axes = f => f.querySelector(".axis").textContent;
      const before = others.map(axes), cursors = () => others.filter(f => f.querySelector(".cursor").getAttribute("visibility") === "visible").length;
      if (spec.type === "time") check(name + ": the cursor is in all figures over time", cursors() === others.length, cursors());
      pointer(svg, "pointerdown", at.left + at.width * 0.4, at.top + 50);
      pointer(svg, "pointermove", at.left + at.width * 0.6, at.top + 50);
      pointer(svg, "pointerup", at.left + at.width * 0.6, at.top + 50);
      check(name + " zooms", edge() !== whole && visible(reset));
      check(name + ": the others over time zoom, too", others.every((f, k) => (axes(f) !== before[k]) === (spec.type === "time")));
      if (spec.type === "time") check(name + " zooms to an hour", hour(svg, reset));
      reset.click();
      check(name + " shows the whole again", edge() === whole && !visible(reset));
      svg.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
      check(name + " works with keys", visible(tip));
      const names = [...figure.querySelectorAll(".legend button")].map(b => b.textContent);
      check(name + ": the legend has every series", spec.variants[0].lines.concat(spec.variants[0].bands || []).every(s => names.includes(s.name)), names);
    }
    const colours = [...figure.querySelectorAll(".legend i")].map(i => getComputedStyle(i).backgroundColor);
    check(name + ": a colour is one thing", spec.type === "time" && !spec.variants[0].bands || new Set(colours).size === colours.length, colours);
    const saved = [];
    URL.createObjectURL = blob => { saved.push(blob); return "#"; };
    HTMLAnchorElement.prototype.click = () => { };
    figure.querySelectorAll(".save").forEach(b => b.click());
    check(name + " can be kept", saved.length === 2 && saved[0].type === "image/svg+xml" && saved[0].size > 60 && saved[1].size > 20, saved.map(b => b.size));
    const first = figure.querySelector(".legend button");
    if (first) {
      const before = shapes();
      first.click();
      check(name + " hides a series", shapes() < before && figure.querySelector(".legend button").getAttribute("aria-pressed") === "false", before);
      figure.querySelector(".legend button").click();
      check(name + " shows it again", shapes() === before);
    }
    if (spec.type === "bars") {
      const bar = svg.querySelector("rect[style]"), r = bar.getBoundingClientRect();
      bar.dispatchEvent(new PointerEvent("pointerenter", { clientX: r.left + 1, clientY: r.top + 1 }));
      check(name + " tells values", visible(tip) && /\d/.test(tip.textContent));
    }
    if (spec.type === "heat") {
      const r = svg.querySelector("rect[style]").getBoundingClientRect();
      pointer(svg, "pointermove", r.left + 2, r.top + 2);
      check(name + " tells values", visible(tip) && /%/.test(tip.textContent));
    }
    const select = figure.querySelector("select"), buttons = figure.querySelectorAll(".controls button[aria-pressed]"), old = svg.innerHTML;
    if (select) { select.selectedIndex = 1; select.dispatchEvent(new Event("change")); }
    if (buttons.length) buttons[1].click();
    if (select || buttons.length) check(name + " shows another", svg.innerHTML !== old && shapes() > 0);
  }

  // Its static picture, with words that can be read, inside of the window.
  function stands(figure) {
    const svg = figure.querySelector(".static svg"), box = svg && svg.getBoundingClientRect(), page = document.documentElement;
    check(figure.id + " has a picture", svg && visible(svg) && box.width > 250 && box.height > 40);
    if (!svg) return;
    let at = svg;                                     // what scrolls shows all of it
    while (at !== page && at.scrollWidth <= at.clientWidth) at = at.parentElement;
    check(figure.id + ": it lies inside", at !== page || box.right <= innerWidth + 1, box.right);
    check(figure.id + ": it has words", [...svg.querySelectorAll("text")].filter(t => t.textContent).length > 3);
  }

  function look() {
    const width = parseInt(location.hash.slice(1)), still = location.hash.endsWith("still"), root = document.documentElement, figures = [...document.querySelectorAll("figure")];
    check("the window is as wide as asked for", innerWidth === width, innerWidth);
    check("nothing flows over", root.scrollWidth <= innerWidth, root.scrollWidth);
    check("figures are there", figures.length >= 5, figures.length);
    check("body text is readable", parseFloat(getComputedStyle(document.body).fontSize) >= 14);
    for (const where of ["body", ".note", "figcaption", "td", "th .unit", ".better", ".worse", "#warnings li", "nav a", "dt", ".legend button"]) {
      const e = document.querySelector(where);
      if (e) check("contrast of " + where, contrast(e) >= 4.5, contrast(e).toFixed(2));
    }
    const captions = [...document.querySelectorAll("caption")].filter(visible).map(c => c.getBoundingClientRect());
    check("captions lie inside", captions.every(c => c.left >= 0 && c.right <= innerWidth), Math.max(...captions.map(c => c.right)));
    const lines = e => { const range = document.createRange(); range.selectNodeContents(e); return new Set([...range.getClientRects()].map(r => r.top)).size; };
    const broken = [...document.querySelectorAll("tbody th")].filter(e => visible(e) && /^[a-z]{1,11}$/.test(e.textContent) && lines(e) > 1).map(e => e.textContent);
    check("short words of tables are not broken", broken.length === 0, broken);
    check("lines of rows go on below a column that stays", [...document.querySelectorAll("table")].every(t => getComputedStyle(t).borderCollapse === "separate"));
    check("nothing was loaded", performance.getEntriesByType("resource").length === 0);
    check("no name became markup", !window.evil && document.scripts.length === 3 && !document.querySelector("main i:not([style]), marquee"), document.scripts.length);
    if (still) figures.forEach(stands); else figures.forEach(works);
    for (const table of still ? [] : document.querySelectorAll("table.sortable")) {
      const column = [...table.tHead.rows[0].cells].findIndex(c => /^wait/.test(c.textContent)), waits = () => [...table.tBodies[0].rows].map(r => Number(r.cells[column].dataset.value));
      const press = k => table.tHead.rows[0].cells[k].querySelector("button").click();
      const before = waits();
      press(column); press(column);
      check("a table is sorted by its column", String(waits()) === String([...before].sort((a, b) => a - b)), waits());
      press(column);
      check("and the other way", String(waits()) === String([...before].sort((a, b) => b - a)));
      const link = table.querySelector("a");
      if (link) {
        location.hash = link.getAttribute("href");
        dispatchEvent(new Event("hashchange"));
        check("a job links to its story", document.querySelector(link.getAttribute("href")).open);
      }
    }
    check("no errors", errors.length === 0, errors.join("; "));
  }
  window.addEventListener("load", () => setTimeout(() => {
    try { look(); } catch (e) { found.push("FAILED the probe: " + e.stack); }
    parent.postMessage(found.map(line => "probe: " + line).join("\n"), "*");
  }, 50));
})();
