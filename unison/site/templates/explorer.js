"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const HIT = 0, LOW = 1, HIGH = 2, GAIN_LOW = 3, GAIN_HIGH = 4, TOKEN = 5;
  const grid = JSON.parse(document.getElementById("grid").textContent);
  const byId = (id) => document.getElementById(id);
  const place = (name) => grid.policies.findIndex((policy) => policy.name === name);
  const base = place(grid.baseline);
  const bound = place(grid.bound);
  const isOracle = (k) => grid.policies[k].name.startsWith(grid.bound);
  const state = { corpus: 0, at: {}, measure: "gain", shown: new Set(grid.first.map(place)) };

  const corpus = () => grid.corpora[state.corpus];
  const cellsAt = (at) => corpus().cells[at.dispersion][at.session_share][at.capacity_share];
  const percent = (value, digits = 1) => (100 * value).toFixed(digits);
  const signed = (value) => (value < 0 ? "−" : "+") + percent(Math.abs(value));
  const times = (value) => `${Number(value.toPrecision(3))}×`;
  const share = (cell, k) => (cell && cell[k] !== null ? cell[k] / grid.scale : null);

  /** Value and interval of one policy in one cell for the measure that is shown; null where there is none. */
  function reading(cells, k, measure = state.measure) {
    const cell = cells[k];
    if (measure === "token") return share(cell, TOKEN) === null ? null : { y: share(cell, TOKEN), low: null, high: null };
    if (share(cell, HIT) === null) return null;
    if (measure === "hit") return { y: share(cell, HIT), low: share(cell, LOW), high: share(cell, HIGH) };
    const reference = share(cells[base], HIT);
    if (reference === null) return null;
    const own = k === base;
    return {
      y: share(cell, HIT) - reference,
      low: own ? null : share(cell, GAIN_LOW),
      high: own ? null : share(cell, GAIN_HIGH),
    };
  }

  function element(name, attributes = {}, parent = null, text = "") {
    const node = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text) node.textContent = text;
    if (parent) parent.append(node);
    return node;
  }

  const SHAPES = {
    o: "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0Z", s: "M-3.5-3.5H3.5V3.5H-3.5Z", D: "M0-5L5,0L0,5L-5,0Z",
    d: "M0-5L3.5,0L0,5L-3.5,0Z", v: "M-4.5-3.5H4.5L0,4.5Z", "^": "M-4.5,3.5H4.5L0-4.5Z",
    "<": "M3.5-4.5V4.5L-4.5,0Z", ">": "M-3.5-4.5V4.5L4.5,0Z", p: "M0-4.8L4.6-1.5L2.8,3.9H-2.8L-4.6-1.5Z",
    h: "M0-4.8L4.2-2.4V2.4L0,4.8L-4.2,2.4V-2.4Z", P: "M-1.6-4.6H1.6V-1.6H4.6V1.6H1.6V4.6H-1.6V1.6H-4.6V-1.6H-1.6Z",
    "*": "M0-5L1.3-1.6L4.9-1.5L2,0.7L3,4.2L0,2.2L-3,4.2L-2,0.7L-4.9-1.5L-1.3-1.6Z",
    X: "M-4.6-2.3L-2.3-4.6L0-2.3L2.3-4.6L4.6-2.3L2.3,0L4.6,2.3L2.3,4.6L0,2.3L-2.3,4.6L-4.6,2.3L-2.3,0Z",
    1: "M0,5V0L4-3M0,0L-4-3", 2: "M0-5V0L4,3M0,0L-4,3",
  };
  function marker(parent, policy, x, y, scale = 1) {
    const open = policy.marker === "1" || policy.marker === "2";
    element("path", {
      d: SHAPES[policy.marker] || SHAPES.o, transform: `translate(${x},${y}) scale(${scale})`,
      fill: open ? "none" : policy.color, stroke: open ? policy.color : "#fff", "stroke-width": open ? 1.6 : 0.8,
    }, parent);
  }

  /** A range that holds all values, and its ticks at round numbers. */
  function niceRange(values) {
    let low = Math.min(...values), high = Math.max(...values);
    if (high - low < 0.02) { low -= 0.01; high += 0.01; }
    const rough = (high - low) / 8;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((n) => n * power).find((size) => size >= rough);
    const ticks = [];
    for (let n = Math.floor(low / step + 1e-9); n <= Math.ceil(high / step - 1e-9); n += 1) ticks.push(n * step);
    return ticks;
  }

  /** Every value of the shown policies over all axes, so that the scale stays while a slider moves. */
  function allValues() {
    const values = [];
    for (const cells of corpus().cells.flat(2)) {
      for (const k of state.shown) {
        const read = reading(cells, k);
        if (read) values.push(...[read.y, read.low, read.high].filter((value) => value !== null));
      }
    }
    return values.length ? values : [0, 1];
  }

  function spread(labels, least) {
    const blocks = [];
    for (const label of [...labels].sort((a, b) => a.y - b.y)) {
      blocks.push([label]);
      while (blocks.length > 1) {
        const [above, below] = blocks.slice(-2);
        if (above.at(-1).at + least <= top(below)) break;
        blocks.splice(-2, 2, [...above, ...below]);
        settle(blocks.at(-1));
      }
      settle(blocks.at(-1));
    }
    function top(block) {
      return block.reduce((sum, label) => sum + label.y, 0) / block.length - ((block.length - 1) * least) / 2;
    }
    function settle(block) {
      block.forEach((label, n) => { label.at = top(block) + n * least; });
    }
    return blocks.flat();
  }

  const percentText = (value) => `${Math.round(100 * value)} %`;
  const capacityTicks = [1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16];
  const fraction = { 0.0625: "1/16", 0.125: "1/8", 0.25: "1/4", 0.5: "1/2" };

  /** How each axis is scaled, named and written. */
  const axes = {
    capacity_share: {
      scale: Math.log2, ticks: () => capacityTicks, text: times, tick: (value) => fraction[value] || String(value),
      title: "Capacity / live working set", words: (value) => `, capacity ${times(value)} the live working set`, first: nearestHalf,
    },
    dispersion: {
      scale: Number, ticks: (values) => values, text: String, tick: String,
      title: "Dispersion of gaps [log-sd]", words: (value) => `, dispersion ${value}`, first: middle,
    },
    session_share: {
      scale: Number, ticks: (values) => values, text: percentText, tick: percentText,
      title: "Share explained by the session", words: (value) => `, of which the session explains ${percentText(value)}`, first: middle,
    },
  };
  function middle(values) { return Math.floor(values.length / 2); }
  function nearestHalf(values) {
    const far = values.map((value) => Math.abs(Math.log2(value / 0.5)));
    return far.indexOf(Math.min(...far));
  }

  /** One chart: a line with its interval for every shown policy, and a rule at the chosen value. */
  function draw(svg, name) {
    const axis = axes[name], values = corpus().axes[name], chosen = state.at[name];
    const positions = values.map(axis.scale);
    const cellsOf = (n) => cellsAt({ ...state.at, [name]: n });
    const width = Math.max(svg.clientWidth, 240), height = Math.round(Math.min(400, Math.max(280, width * 0.62)));
    const isLabelled = width > 520;
    const area = { left: 52, right: width - (isLabelled ? 140 : 14), top: 30, bottom: height - 46 };
    const yTicks = niceRange(allValues());
    const first = Math.min(...positions), last = Math.max(...positions);
    const x = (value) => area.left + 12 + (last > first ? (value - first) / (last - first) : 0.5) * (area.right - area.left - 24);
    const y = (value) => area.bottom - ((value - yTicks[0]) / (yTicks.at(-1) - yTicks[0])) * (area.bottom - area.top);
    svg.replaceChildren();
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const unit = state.measure === "gain" ? "Gain over LRU [percentage points]" : state.measure === "token" ? "Token hit rate [%]" : "Hit rate [%]";
    element("text", { x: 4, y: 16 }, svg, unit);
    const digits = yTicks[1] - yTicks[0] < 0.0099 ? 1 : 0;
    for (const tick of yTicks) {
      const isZero = state.measure === "gain" && Math.abs(tick) < 1e-9;
      element("line", { x1: area.left, x2: area.right, y1: y(tick), y2: y(tick), stroke: isZero ? "#555" : "#d4d4d4" }, svg);
      const label = percent(Math.abs(tick) < 1e-9 ? 0 : tick, digits).replace("-", "−");
      element("text", { x: area.left - 6, y: y(tick) + 4, "text-anchor": "end" }, svg, label);
    }
    element("line", { x1: area.left, x2: area.right, y1: area.bottom, y2: area.bottom, stroke: "#555" }, svg);
    let free = -Infinity;
    for (const value of axis.ticks(values)) {
      const at = axis.scale(value);
      if (at < first - 1e-9 || at > last + 1e-9) continue;
      element("line", { x1: x(at), x2: x(at), y1: area.bottom, y2: area.bottom + 5, stroke: "#555" }, svg);
      if (x(at) < free) continue;
      free = x(at) + 32;
      element("text", { x: x(at), y: area.bottom + 19, "text-anchor": "middle" }, svg, axis.tick(value));
    }
    element("text", { x: (area.left + area.right) / 2, y: height - 8, "text-anchor": "middle" }, svg, axis.title);
    element("line", { x1: x(positions[chosen]), x2: x(positions[chosen]), y1: area.top - 6, y2: area.bottom, stroke: "#1b1f24", "stroke-width": 1.2, "stroke-dasharray": "1 3" }, svg);
    const ends = [];
    for (const k of state.shown) {
      const policy = grid.policies[k];
      const points = positions.map((at, n) => ({ at, n, ...reading(cellsOf(n), k) })).filter((point) => point.y !== undefined);
      if (!points.length) continue;
      const banded = points.filter((point) => point.low !== null && point.high !== null);
      if (banded.length > 1) {
        const edge = (key) => banded.map((point) => `${x(point.at)},${y(point[key])}`);
        element("polygon", { points: [...edge("high"), ...edge("low").reverse()].join(" "), fill: policy.color, "fill-opacity": 0.13 }, svg);
      }
      element("polyline", { points: points.map((point) => `${x(point.at)},${y(point.y)}`).join(" "), fill: "none", stroke: policy.color, "stroke-width": 2, "stroke-dasharray": policy.dash, class: "curve", "data-policy": policy.name }, svg);
      for (const point of points) {
        const isChosen = point.n === chosen;
        if (isChosen && point.low !== null && point.high !== null) {
          element("line", { x1: x(point.at), x2: x(point.at), y1: y(point.low), y2: y(point.high), stroke: policy.color, "stroke-width": 3, "stroke-opacity": 0.7, class: "interval" }, svg);
        }
        if (isChosen || points.length < 16) marker(svg, policy, x(point.at), y(point.y), isChosen ? 1.35 : 0.85);
      }
      ends.push({ y: y(points.at(-1).y), x: x(points.at(-1).at), policy });
    }
    if (isLabelled) {
      for (const end of spread(ends, 15)) {
        element("line", { x1: end.x + 6, y1: end.y, x2: area.right + 2, y2: end.at, stroke: end.policy.color, "stroke-width": 1 }, svg);
        marker(svg, end.policy, area.right + 9, end.at);
        element("text", { x: area.right + 18, y: end.at + 4 }, svg, end.policy.label);
      }
    }
    svg.onpointerdown = (event) => {
      const at = ((event.clientX - svg.getBoundingClientRect().left) / svg.clientWidth) * width;
      const distances = positions.map((value) => Math.abs(x(value) - at));
      state.at[name] = distances.indexOf(Math.min(...distances));
      refresh();
    };
  }

  const withInterval = ({ y, low, high }, show) =>
    low === null || high === null ? show(y) : `${show(y)} (${show(low)} to ${show(high)})`;

  function numbers() {
    const cells = cellsAt(state.at);
    const rows = [...state.shown].filter((k) => reading(cells, k, "hit")).map((k) => {
      const hit = reading(cells, k, "hit"), gain = reading(cells, k, "gain"), token = reading(cells, k, "token");
      const best = bound >= 0 && reading(cells, bound, "gain");
      const way = best && gain && best.y > 0.0005 && k !== base ? (100 * gain.y / best.y).toFixed(0).replace("-", "−") : "–";
      return [grid.policies[k].label, withInterval(hit, (value) => percent(value)), gain ? withInterval(gain, signed) : "–",
        token ? percent(token.y) : "–", way];
    });
    byId("numbers").replaceChildren(...rows.map((row) => {
      const line = document.createElement("tr");
      row.forEach((text, n) => {
        const cell = document.createElement("td");
        if (n) cell.className = "number";
        cell.textContent = text;
        line.append(cell);
      });
      return line;
    }));
  }

  function sentence() {
    const cells = cellsAt(state.at);
    const where = Object.entries(axes).map(([name, axis]) => {
      const value = corpus().axes[name][state.at[name]];
      return value === null ? "" : axis.words(value);
    }).join("");
    const gains = [...state.shown].filter((k) => k !== base && !isOracle(k))
      .map((k) => ({ k, gain: reading(cells, k, "gain") })).filter((entry) => entry.gain);
    const best = gains.sort((a, b) => b.gain.y - a.gain.y)[0];
    const room = bound >= 0 ? reading(cells, bound, "gain") : null;
    const parts = [];
    if (best) {
      const { low, high, y } = best.gain;
      const verdict = low === null || high === null ? "" : low > 0 ? ", a win" : high < 0 ? ", a loss" : ", a tie within the interval";
      parts.push(`best of the shown is ${grid.policies[best.k].label}, ${signed(y)} pp against LRU${verdict}`);
    }
    if (room) parts.push(`Bélády has ${signed(room.y)} pp${room.y < 0.005 ? ", so hardly any ranking matters here" : ""}`);
    return `${corpus().name}${where}: ${parts.join("; ")}.`;
  }

  function refresh() {
    for (const box of byId("policies").querySelectorAll("input")) {
      const k = place(box.value);
      box.disabled = !corpus().cells.flat(2).some((cells) => cells[k]);
    }
    const text = sentence();
    byId("sentence").textContent = text;
    numbers();
    for (const [name, axis] of Object.entries(axes)) {
      const values = corpus().axes[name], isChoice = values.length > 1, chosen = values[state.at[name]];
      byId(`${name}-field`).hidden = !isChoice;
      byId(`${name}-plate`).hidden = !isChoice;
      if (!isChoice) continue;
      byId(name).max = values.length - 1;
      byId(name).value = state.at[name];
      byId(name).setAttribute("aria-valuetext", axis.text(chosen));
      byId(`${name}-value`).textContent = axis.text(chosen);
      byId(`by-${name}`).setAttribute("aria-label", `${axis.title}. ${text}`);
    }
    for (const name of Object.keys(axes)) {
      if (corpus().axes[name].length > 1) draw(byId(`by-${name}`), name);
    }
  }

  function choosePolicies() {
    grid.policies.forEach((policy, k) => {
      const label = document.createElement("label"), box = document.createElement("input");
      box.type = "checkbox";
      box.value = policy.name;
      box.checked = state.shown.has(k);
      box.addEventListener("change", () => {
        if (box.checked) state.shown.add(k); else state.shown.delete(k);
        state.shown = new Set([...state.shown].sort((a, b) => a - b));
        refresh();
      });
      const swatch = element("svg", { viewBox: "-14 -8 28 16", class: "swatch", "aria-hidden": "true" });
      element("line", { x1: -13, x2: 13, y1: 0, y2: 0, stroke: policy.color, "stroke-width": 2, "stroke-dasharray": policy.dash }, swatch);
      marker(swatch, policy, 0, 0);
      label.append(box, swatch, policy.label);
      byId("policies").append(label);
    });
  }

  function chooseCorpus(n) {
    state.corpus = n;
    for (const [name, axis] of Object.entries(axes)) state.at[name] = axis.first(corpus().axes[name]);
  }

  grid.corpora.forEach((entry, n) => byId("corpus").append(new Option(entry.name, n)));
  byId("corpus").addEventListener("change", (event) => { chooseCorpus(Number(event.target.value)); refresh(); });
  for (const name of Object.keys(axes)) {
    byId(name).addEventListener("input", (event) => { state.at[name] = Number(event.target.value); refresh(); });
  }
  for (const radio of document.querySelectorAll("input[name=measure]")) {
    radio.addEventListener("change", () => { state.measure = radio.value; refresh(); });
  }
  choosePolicies();
  chooseCorpus(0);
  byId("app").hidden = false;
  refresh();
  window.addEventListener("resize", refresh);
})();
