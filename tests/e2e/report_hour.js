// report_hour.js - put at the end of a copy of a page by report.sh: zooms its figures over time to the hour in the middle of their axis, with
// keys and the pointer, and prints the rows that their CSV has of it ("hour: FIGURE TIME,VALUE,..") and how many corners the first curve has
// there ("hour: FIGURE corners N").
(function () {
  SVGElement.prototype.setPointerCapture = () => { };      // of a pointer that is not there
  HTMLAnchorElement.prototype.click = () => { };
  const out = document.body.appendChild(document.createElement("pre")), say = line => { out.textContent += "\nhour: " + line + "\n"; };
  const length = JSON.parse(document.getElementById("data").textContent).length_s;
  for (const id of ["utilisation", "waiting"]) {
    const figure = document.getElementById("figure-" + id), svg = figure.querySelector("svg");
    figure.querySelector(".reset").click();
    let span = length;
    for (; span > 7200; span /= 2) svg.dispatchEvent(new KeyboardEvent("keydown", { key: "+", bubbles: true }));
    const box = svg.getBoundingClientRect(), edge = svg.querySelector(".axis .edge").getBoundingClientRect();
    const at = share => ({ clientX: edge.left + share * edge.width, clientY: box.top + 50, bubbles: true, pointerId: 1, pointerType: "mouse" });
    const half = 1800 / span;
    for (const [kind, share] of [["pointerdown", 0.5 - half], ["pointermove", 0.5 + half], ["pointerup", 0.5 + half]])
      svg.dispatchEvent(new PointerEvent(kind, at(share)));
    const xs = new Set([...svg.querySelector("g > path[style]").getAttribute("d").matchAll(/H([-\d.]+)/g)].map(m => Number(m[1])).filter(x => x > 60 && x < 1280));
    say(`${id} corners ${xs.size}`);
    URL.createObjectURL = blob => { blob.text().then(text => text.trim().split("\n").forEach(row => say(`${id} ${row}`))); return "#"; };
    figure.querySelectorAll(".save")[1].click();
  }
})();
