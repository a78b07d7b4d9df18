// Puts a spot together: the board by a deck, the ranges by painting or as text, the bets as lines. The
// server reads ranges and menus, says what solving takes, and solves; nothing of that is done here.

import { ask, byId, bytes, element, keep, kept, percent, time } from "./page.js";
import { CELLS, RANKS, SUITS, deck, rangeItem, roving } from "./study-grid.js";

const form = byId("spot");
const wrong = byId("wrong");
const cost = byId("cost");
const solve = byId("solve");
const NAMED = [
  ["every hand", "random"],
  ["wide", "22+,A2s+,K2s+,Q4s+,J6s+,T6s+,96s+,85s+,75s+,64s+,54s,A2o+,K7o+,Q8o+,J8o+,T8o+,98o"],
  ["middling", "22+,A2s+,K8s+,Q9s+,J9s+,T8s+,97s+,87s,76s,65s,A8o+,KTo+,QTo+,JTo"],
  ["tight", "77+,A9s+,KTs+,QTs+,JTs,AJo+,KQo"],
];

const complain = (text) => {
  wrong.textContent = text;
  wrong.hidden = !text;
};

// ---- The board.
const board = byId("board");
const boardCards = () => board.value.match(/[2-9TJQKAtjqka][shdcSHDC]/g)?.map((card) => card[0].toUpperCase() + card[1].toLowerCase()) ?? [];
const showBoard = () => {
  const chosen = boardCards();
  for (const button of byId("deck").children) {
    const on = chosen.includes(button.dataset.card);
    button.setAttribute("aria-pressed", on);
    button.classList.toggle("full", chosen.length >= 5 && !on);
  }
};
deck(byId("deck"), (card) => {
  const chosen = boardCards();
  if (chosen.includes(card)) board.value = chosen.filter((other) => other !== card).join("");
  else if (chosen.length < 5) board.value = [...chosen, card].join("");
  changed();
});
byId("board-clear").addEventListener("click", () => { board.value = ""; changed(); });
byId("board-random").addEventListener("click", () => {
  const all = [...SUITS].flatMap((suit) => [...RANKS].map((rank) => rank + suit));
  const chosen = [];
  while (chosen.length < 3) chosen.push(...all.splice(Math.floor(Math.random() * all.length), 1));
  board.value = chosen.sort((a, b) => RANKS.indexOf(a[0]) - RANKS.indexOf(b[0])).join("");
  changed();
});

// ---- The ranges.
const saved = () => {
  try { return JSON.parse(kept("ranges") ?? "{}"); } catch { return {}; }
};

class Painter {
  constructor(place, number) {
    this.number = number;
    this.weights = CELLS.map(() => 0);
    this.brush = 1;
    // What the wheel has changed and the text does not say yet.
    this.turned = new Map();
    const who = `player ${number + 1}`;
    this.text = element("textarea", { id: `range-${number + 1}`, class: "mono", rows: 2, spellcheck: false });
    this.text.setAttribute("aria-label", `Range of ${who} as text`);
    this.count = element("span", { class: "soft small count" });
    this.named = element("select", { id: `named-${number + 1}` });
    this.named.setAttribute("aria-label", `Take a range for ${who}`);
    this.slider = element("input", { type: "range", min: 0, max: 100, step: 5, value: 100, id: `brush-${number + 1}` });
    this.slider.setAttribute("aria-label", `Weight to paint with for ${who}`);
    this.shown = element("output", { class: "small brush" }, "100 %");
    this.grid = element("div", { class: "grid13 paint", id: `paint-${number + 1}` });
    this.grid.setAttribute("role", "group");
    this.grid.setAttribute("aria-label", `Range of ${who}: arrow keys move, Space paints, `
      + "digits give a weight in tenths, and Shift with the wheel changes it by 5 %");
    this.grid.title = "Shift and wheel: 5 % more or less";
    this.cells = CELLS.map((name, at) => {
      const cell = element("button", { type: "button", class: "cell", tabIndex: -1 }, element("span", { class: "name" }, name));
      cell.dataset.at = at;
      this.grid.append(cell);
      return cell;
    });
    roving(this.grid, 13);
    const save = element("button", { type: "button", class: "plain" }, "Save as…");
    const clear = element("button", { type: "button", class: "plain" }, "Clear");
    place.append(
      element("div", { class: "line tools" }, this.named, save, clear, this.count),
      this.grid,
      element("div", { class: "line" }, element("label", { class: "grow brush-label" }, "Weight ", this.slider), this.shown),
      this.text,
    );
    this.listNamed();
    this.named.addEventListener("change", () => {
      if (this.named.value) this.set(this.named.value);
      this.named.value = "";
    });
    save.addEventListener("click", () => this.askName(save));
    clear.addEventListener("click", () => this.set(""));
    this.slider.addEventListener("input", () => {
      this.brush = Number(this.slider.value) / 100;
      this.shown.textContent = `${this.slider.value} %`;
    });
    this.text.addEventListener("input", () => this.readSoon());
    this.grid.addEventListener("pointerdown", (event) => this.begin(event));
    this.grid.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, () => this.end());
    this.grid.addEventListener("keydown", (event) => this.key(event));
    this.grid.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.grid.addEventListener("click", (event) => event.preventDefault());
  }

  listNamed() {
    const options = (list) => list.map(([name, text]) => element("option", { value: text }, name));
    const own = Object.entries(saved());
    this.named.replaceChildren(element("option", { value: "" }, "Take a range…"), ...options(NAMED));
    if (own.length) this.named.append(element("optgroup", { label: "Saved in this browser" }, ...options(own)));
  }

  askName(save) {
    const name = element("input", { size: 12, placeholder: "name", maxLength: 40 });
    name.setAttribute("aria-label", "Name of the range");
    save.replaceWith(name);
    name.focus();
    let over = false;
    const done = (keepIt) => {
      // Taking the field away makes it lose the focus, which ends here once more.
      if (over) return;
      over = true;
      name.replaceWith(save);
      save.focus();
      if (!keepIt || !name.value.trim()) return;
      const all = saved();
      // Without a range the name is forgotten.
      if (this.text.value.trim()) all[name.value.trim()] = this.text.value.trim();
      else delete all[name.value.trim()];
      keep("ranges", JSON.stringify(all));
      painters.forEach((painter) => painter.listNamed());
    };
    name.addEventListener("keydown", (event) => {
      if (event.key === "Enter") { event.preventDefault(); done(true); }
      if (event.key === "Escape") done(false);
    });
    name.addEventListener("blur", () => done(true));
  }

  set(text) {
    this.text.value = text;
    this.read();
  }

  readSoon() {
    pending();
    clearTimeout(this.soon);
    this.soon = setTimeout(() => this.read(true), 250);
  }

  // Has the server read the text. What is typed stays as it is.
  async read(typed = false) {
    pending();
    clearTimeout(this.soon);
    const text = this.text.value.trim();
    const asked = this.asked = {};
    this.invalid = null;
    if (!text) {
      this.weights.fill(0);
      this.show(0);
      changed();
      return;
    }
    try {
      const range = await ask("POST", "/range", { text });
      if (this.asked !== asked) return;
      this.weights = range.weights;
      if (!typed) this.text.value = range.text;
      this.show(range.combos);
    } catch (error) {
      if (this.asked !== asked) return;
      this.invalid = error.message;
    }
    this.text.setAttribute("aria-invalid", this.invalid !== null);
    changed();
  }

  show(combos) {
    this.cells.forEach((cell, at) => this.showCell(cell, at));
    this.count.textContent = `${combos.toFixed(combos % 1 ? 1 : 0)} combos, ${percent(combos / 1326)}`;
  }

  showCell(cell, at) {
    const weight = this.weights[at];
    cell.style.setProperty("--full", `${(100 * weight).toFixed(1)}%`);
    cell.classList.toggle("some", weight > 0);
    const words = weight > 0 ? `${Math.round(100 * weight)} %` : "not in the range";
    cell.setAttribute("aria-label", `${CELLS[at]}: ${words}`);
  }

  begin(event) {
    const cell = event.target.closest(".cell");
    if (!cell || event.button !== 0) return;
    event.preventDefault();
    cell.focus({ preventScroll: true });
    // Painting over what has this weight already takes it out.
    this.painting = Math.abs(this.weights[cell.dataset.at] - this.brush) < 0.005 ? 0 : this.brush;
    this.painted = new Map();
    this.paint(cell);
  }

  move(event) {
    if (!this.painted) return;
    const under = document.elementFromPoint(event.clientX, event.clientY)?.closest(".cell");
    if (under && this.grid.contains(under)) this.paint(under);
  }

  paint(cell, weight = this.painting) {
    const at = Number(cell.dataset.at);
    this.painted.set(CELLS[at], weight);
    this.weights[at] = weight;
    this.showCell(cell, at);
  }

  end() {
    if (this.painted) this.add(this.painted);
    this.painted = null;
  }

  // Adds weights to the text; what comes later in a range counts.
  add(weights) {
    const items = [...weights].map(([name, weight]) => rangeItem(name, weight));
    this.set([this.text.value.trim(), ...items].filter(Boolean).join(","));
  }

  // Shift and the wheel change the weight of a hand; without Shift the page scrolls, so that nobody
  // who scrolls past changes a range.
  wheel(event) {
    const cell = event.target.closest(".cell");
    // With Shift some browsers report a turn as one to the side.
    const turned = event.deltaY || event.deltaX;
    if (!cell || !event.shiftKey || event.ctrlKey || !turned) return;
    event.preventDefault();
    const at = Number(cell.dataset.at);
    const percents = Math.round(100 * this.weights[at]) - 5 * Math.sign(turned);
    this.weights[at] = Math.max(0, Math.min(100, percents)) / 100;
    this.showCell(cell, at);
    // An answer about the text of before would undo it.
    this.asked = null;
    clearTimeout(this.soon);
    pending();
    this.turned.set(CELLS[at], this.weights[at]);
    clearTimeout(this.still);
    this.still = setTimeout(() => {
      const turned = new Map(this.turned);
      this.turned.clear();
      this.add(turned);
    }, 250);
  }

  key(event) {
    const cell = event.target.closest(".cell");
    if (!cell || event.ctrlKey || event.metaKey || event.altKey) return;
    const digit = /^[0-9]$/.test(event.key) ? Number(event.key) / 10 : null;
    const toggles = event.key === " " || event.key === "Enter";
    if (!toggles && digit === null) return;
    event.preventDefault();
    this.painted = new Map();
    const now = this.weights[cell.dataset.at];
    this.paint(cell, digit ?? (Math.abs(now - this.brush) < 0.005 ? 0 : this.brush));
    this.end();
  }
}

const painters = [...document.querySelectorAll("fieldset.range")].map((place, number) => new Painter(place, number));

// ---- The bets.
const presets = new Map([...byId("menus").content.querySelectorAll("[data-menu]")].map((one) => [one.dataset.menu, one.textContent]));
const menus = [byId("menu-1"), byId("menu-2")];
const ownBets = byId("own-bets");
byId("menu-preset").addEventListener("change", (event) => {
  const text = presets.get(event.target.value);
  if (text === undefined) return;
  menus.forEach((menu) => { menu.value = text; });
  changed();
});
const showMenus = () => {
  byId("menu-2-label").hidden = !ownBets.checked;
  byId("menu-1-label").firstChild.data = ownBets.checked ? "Player 1 " : "Player 1 and 2 ";
  if (ownBets.checked && !menus[1].value) menus[1].value = menus[0].value;
  const named = [...presets].find(([, text]) => text.trim() === menus[0].value.trim());
  byId("menu-preset").value = named && !ownBets.checked ? named[0] : "";
};
ownBets.addEventListener("change", () => changed());

// ---- Ranges from an agent's play before the flop, action by action.
/** @type {HTMLDetailsElement} */
const played = document.querySelector("details.played");
const playedWay = [];
const play = async (betting) => {
  const place = byId("played-actions");
  try {
    // After the flop the ranges are those on the spot's board.
    const later = betting.includes("/") ? { board: board.value.trim() } : {};
    const found = await ask("POST", "/played", { agent: byId("player").value, betting, ...later });
    byId("played-way").textContent = playedWay.length ? playedWay.join(", ") : "Blinds 50 and 100, 20,000 chips each. The button begins:";
    place.replaceChildren(...found.actions.filter(({ name }) => name !== "fold" && !name.startsWith("all-in")).map(({ betting: next, name, frequency }) => {
      const button = element("button", { type: "button", class: "plain small" }, `${name} ${percent(frequency, 0)}`);
      button.addEventListener("click", () => { playedWay.push(name); play(next); });
      return button;
    }));
    if (!found.spot) {
      if (betting) place.firstChild?.focus();
      return;
    }
    byId("pot").value = found.spot.pot;
    found.spot.stacks.forEach((stack, at) => { byId(`stack-${at + 1}`).value = stack; });
    painters.forEach((painter, at) => painter.set(found.spot.ranges[at]));
    byId("played-way").textContent += `: filled in. Player 1 is the big blind.`;
  } catch (error) {
    byId("played-way").textContent = error.message;
    place.replaceChildren();
  }
};
const playAgain = () => { playedWay.length = 0; play(""); };
// What the address asked for and this server cannot give stays to be read.
let refusedPlayer = false;
played?.addEventListener("toggle", () => { if (played.open && !refusedPlayer && !byId("played-actions").children.length) playAgain(); });
byId("played-again")?.addEventListener("click", playAgain);
byId("player")?.addEventListener("change", playAgain);

// ---- The spot as a whole.
const number = (id) => Number(byId(id).value.trim());
const spot = () => ({
  board: board.value.trim(),
  pot: number("pot"),
  stacks: [number("stack-1"), number("stack-2")],
  ranges: painters.map((painter) => painter.text.value.trim()),
  menus: (ownBets.checked ? menus : menus.slice(0, 1)).map((menu) => menu.value.trim()),
  until: byId("until").value,
  precision: byId("precision").value,
});

const FIELDS = { "/board": "board", "/pot": "pot", "/stacks": "stack-1", "/ranges/0": "range-1", "/ranges/1": "range-2", "/menus/0": "menu-1", "/menus/1": "menu-2" };
const mark = (place) => {
  for (const id of new Set(Object.values(FIELDS))) byId(id).removeAttribute("aria-invalid");
  painters.forEach((painter) => { if (painter.invalid) painter.text.setAttribute("aria-invalid", "true"); });
  const field = Object.keys(FIELDS).find((field) => place?.startsWith(field));
  if (field) byId(FIELDS[field]).setAttribute("aria-invalid", "true");
};

// What keeps the spot from being asked about; null for nothing.
const missing = () => {
  if (![3, 4, 5].includes(boardCards().length)) return "Choose three, four or five cards.";
  for (const painter of painters) {
    if (!painter.text.value.trim()) return `Give player ${painter.number + 1} a range.`;
    if (painter.invalid) return painter.invalid;
  }
  for (const [id, name] of [["pot", "pot"], ["stack-1", "stack of player 1"], ["stack-2", "stack of player 2"]]) {
    if (!Number.isInteger(number(id)) || number(id) < 1) return `The ${name} is a whole number of chips above 0.`;
  }
  if (menus[0].value.trim() === "") return "Give at least one line of bets: river 1: none, for instance.";
  return null;
};

const inAddress = new URLSearchParams(location.search);
let soon = null;
let asked = null;
// Nothing is solved by an estimate of what the form was before.
function pending() {
  clearTimeout(soon);
  asked = null;
  solve.disabled = true;
  cost.setAttribute("aria-busy", "true");
}
function changed() {
  pending();
  showBoard();
  showMenus();
  const [pot, stack] = [number("pot"), Math.min(number("stack-1"), number("stack-2"))];
  byId("depth").textContent = pot > 0 && stack > 0 ? `The smaller stack is ${(stack / pot).toFixed(1)} times the pot.` : "";
  keep("spot", JSON.stringify(spot()));
  soon = setTimeout(estimate, 200);
}

const describe = (estimate) => {
  const { size, fits, allowed, seconds, streets, savings } = estimate;
  const parts = [
    element("p", {},
      element("strong", { class: fits ? "" : "loss" }, bytes(size.bytes)), ` of ${bytes(allowed)}`,
      fits ? `, ${time(seconds)}` : ": more than this server allows",
      element("span", { class: "soft small" }, ` · ${size.hands[0]} × ${size.hands[1]} hands, ${size.nodes.toLocaleString("en")} nodes of betting`)),
  ];
  const meter = element("div", { class: "meter", role: "img" });
  meter.setAttribute("aria-label", `${percent(size.bytes / allowed)} of the memory`);
  const bar = element("span", { class: fits ? "fill" : "fill over" });
  bar.style.width = `${Math.max(0.5, Math.min(100, (100 * size.bytes) / allowed))}%`;
  meter.append(bar);
  parts.push(meter);
  if (streets.length > 1) {
    parts.push(element("p", { class: "soft small" }, streets.map(({ street, share }) => `${street} ${percent(share, share < 0.01 ? 2 : 0)}`).join(" · ")));
  }
  if (savings.length) {
    const list = element("ul", { class: "savings small" });
    for (const saving of savings) {
      const apply = element("button", { type: "button", class: "plain" }, "Leave out");
      apply.addEventListener("click", () => {
        saving.menus.forEach((text, at) => { menus[at].value = text; });
        changed();
      });
      const line = element("li");
      // The texts have the sizes and lines between back quotes.
      saving.without.split("`").forEach((part, at) => line.append(at % 2 ? element("code", {}, part) : part));
      line.prepend("without ");
      line.append(`: ${bytes(saving.bytes)} `, apply);
      list.append(line);
    }
    parts.push(element("p", { class: "small" }, "What would save most:"), list);
  }
  cost.replaceChildren(...parts);
};

async function estimate() {
  pending();
  const lack = missing();
  mark(null);
  complain("");
  if (lack) {
    cost.replaceChildren(element("p", { class: "soft" }, lack));
    cost.removeAttribute("aria-busy");
    return;
  }
  const now = asked = {};
  try {
    const found = await ask("POST", "/estimate", spot());
    if (now !== asked) return;
    describe(found);
    solve.disabled = !found.fits;
  } catch (error) {
    if (now !== asked) return;
    mark(error.place);
    cost.replaceChildren(element("p", { class: "wrong" }, error.message));
  }
  cost.removeAttribute("aria-busy");
}

form.addEventListener("input", (event) => {
  if (!event.target.closest(".range, .played")) changed();
});
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const lack = missing();
  if (lack) {
    complain(lack);
    return;
  }
  solve.disabled = true;
  try {
    const solution = await ask("POST", "/solutions", spot());
    // A decision of a hand that led here is where the solution opens, if it is still the hand's board.
    const way = new URLSearchParams();
    for (const key of ["line", "hand"]) {
      if (inAddress.get(key) && inAddress.get("board") === board.value.trim()) way.set(key, inAddress.get(key));
    }
    location.href = `/study/${solution.id}${way.size ? `?${way}` : ""}`;
  } catch (error) {
    solve.disabled = cost.hasAttribute("aria-busy");
    mark(error.place);
    complain(error.message);
  }
});

// ---- The beginning: what the address says, or what was there the last time.
const fill = (found) => {
  board.value = found.board ?? "";
  if (found.pot) byId("pot").value = found.pot;
  if (found.stacks) [0, 1].forEach((at) => { byId(`stack-${at + 1}`).value = found.stacks[at] ?? found.stacks[0]; });
  const texts = (found.menus ?? ["small"]).map((menu) => presets.get(menu.trim()) ?? menu.replaceAll(/\s*;\s*/g, "\n"));
  menus[0].value = texts[0] ?? "";
  ownBets.checked = texts.length > 1;
  menus[1].value = texts[1] ?? "";
  for (const id of ["until", "precision"]) {
    const value = found[id];
    if (!value) continue;
    // A goal that is not on the list is asked for as it is; the server says what is none.
    if (![...byId(id).options].some((option) => option.value === value)) byId(id).append(element("option", { value }, /^[\d.]+$/.test(value) ? `${value} chips` : value));
    byId(id).value = value;
  }
  painters.forEach((painter, at) => painter.set(found.ranges?.[at] ?? ""));
  changed();
};
const KEYS = ["board", "pot", "stack", "range", "menu", "until", "precision", "agent", "betting", "line", "hand"];
const strange = [...inAddress.keys()].filter((key) => !KEYS.includes(key));
if (strange.length) byId("strange").textContent = `The address has ${strange.map((key) => `“${key}”`).join(", ")}, which this page does not know: it has ${KEYS.join(", ")}.`;
if (inAddress.has("board")) {
  fill({
    board: inAddress.get("board"),
    pot: inAddress.get("pot"),
    stacks: inAddress.getAll("stack").length ? inAddress.getAll("stack") : undefined,
    ranges: inAddress.getAll("range"),
    menus: inAddress.getAll("menu").length ? inAddress.getAll("menu") : undefined,
    until: inAddress.get("until") ?? "0.5%",
    precision: inAddress.get("precision") ?? "single",
  });
  // Ranges by the play of an agent, where it can be asked; those of the address stay if it cannot.
  const player = byId("player");
  if (player && inAddress.has("betting") && [...player.options].some(({ value }) => value === inAddress.get("agent"))) {
    player.value = inAddress.get("agent");
    playedWay.push(inAddress.get("betting"));
    play(inAddress.get("betting"));
  } else if (inAddress.has("betting")) {
    refusedPlayer = true;
    played?.setAttribute("open", "");
    byId("played-way").textContent = `${inAddress.get("agent") || "No agent"} cannot be asked here: the ranges are those of the address.`;
  }
} else {
  let last = null;
  try { last = JSON.parse(kept("spot")); } catch { /* as if there were none */ }
  fill(last ?? { board: "Ks8h3d", ranges: [NAMED[2][1], NAMED[2][1]] });
}

// ---- The solutions: which of them are shown.
const find = byId("library-find");
const filterLibrary = () => {
  const lines = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("#library tr[data-words]")]);
  // Cards may be written as the list has them.
  const suits = { "♠": "s", "♥": "h", "♦": "d", "♣": "c" };
  const text = find.value.replace(/[♠♥♦♣]\ufe0e?/g, (sign) => suits[sign[0]]).replace(/10(?=[shdc])/gi, "T");
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const line of lines) {
    const known = line.dataset.words.toLowerCase();
    line.hidden = !words.every((word) => known.includes(word));
    shown += Number(!line.hidden);
  }
  byId("library-search").hidden = lines.length < 2 && !words.length;
  byId("library-found").textContent = words.length ? `${shown} of ${lines.length}` : "";
};
find.addEventListener("input", filterLibrary);
// The list is replaced as solves go on.
new MutationObserver(filterLibrary).observe(byId("library"), { childList: true, subtree: true });
filterLibrary();
