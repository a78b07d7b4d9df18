// Another solution beside the one that is walked through: what the players get in both, what is done
// at the same place, and how the hands differ.

import { ask, byId, element, percent, signed } from "./page.js";
import { CELLS, tint } from "./study-grid.js";

const points = (share, decimals = 1) => signed(100 * share, decimals);

export class Comparison {
  // `cellsOf` adds up the hands of a player at a place by cell.
  constructor(id, cellsOf) {
    this.id = id;
    this.cellsOf = cellsOf;
    this.solution = null;
    // The other solution, and the place in it.
    this.other = null;
    this.there = null;
    // The place that is shown, and its player: 0 or 1.
    this.here = null;
    this.player = 0;
    // What the grid compares: `ev` or the word of an action.
    this.quantity = null;
    this.latest = null;
    this.choice = byId("compare-with");
    this.choice.addEventListener("change", () => this.choose(this.choice.value));
    this.grid = byId("compare-grid");
    for (const name of CELLS) {
      this.grid.append(element("span", { class: "cell" }, element("span", { class: "name" }, name), element("span", { class: "number" })));
    }
    this.tabs = byId("compare-what");
  }

  // Offers the solutions of the same board; by default the one without locks.
  async offer(solution) {
    this.solution = solution;
    const all = (await ask("GET", ""))?.solutions ?? [];
    const { board } = solution.parameters;
    this.offered = all.filter((other) => other.id !== this.id && other.result && other.parameters.board === board);
    byId("compare").hidden = this.offered.length === 0;
    const linked = new URLSearchParams(location.search).get("with");
    const known = (id) => this.offered.some((other) => other.id === id);
    const chosen = [linked, this.other?.id, solution.without_locks].find(known) ?? "";
    this.choice.replaceChildren(element("option", { value: "" }, "no other solution"),
      ...this.offered.map((other) => element("option", { value: other.id }, this.differences(other))));
    this.choice.value = chosen;
    await this.choose(chosen);
  }

  // How another solution differs, in words.
  differences(other) {
    const [mine, its] = [this.solution.parameters, other.parameters];
    const words = [];
    const menu = (text) => text.split("\n").filter((line) => line && !line.startsWith("preflop")).map((line) => line.replace(/^(flop|turn|river) [^:]*: */, "")).join("; ");
    if (other.locks.length !== this.solution.locks.length) words.push(other.locks.length ? `${other.locks.length} locked` : "without locks");
    else if (other.locks.length) words.push("other locks");
    if (its.pot !== mine.pot) words.push(`pot ${its.pot}`);
    if (String(its.stacks) !== String(mine.stacks)) words.push(`${its.stacks.join(" and ")} behind`);
    if (its.menu !== mine.menu) words.push(menu(its.menu));
    if ((its.second_menu ?? "") !== (mine.second_menu ?? "")) words.push(`player 2: ${menu(its.second_menu ?? its.menu)}`);
    its.ranges.forEach((range, player) => {
      if (range !== mine.ranges[player]) words.push(`another range of player ${player + 1}`);
    });
    const bound = other.share_of_pot === null ? "" : ` (${percent(other.share_of_pot, 2)})`;
    return `${words.join(", ") || "the same spot"}${bound}`;
  }

  async choose(id) {
    this.other = this.offered.find((other) => other.id === id) ?? null;
    this.there = null;
    const words = new URLSearchParams(location.search);
    if (id && id !== this.solution.without_locks) words.set("with", id);
    else words.delete("with");
    history.replaceState(null, "", words.size ? `?${words}` : location.pathname);
    byId("compare-body").hidden = !this.other;
    this.gains();
    if (this.here) await this.show(this.here, this.player);
  }

  // What each player gets from the beginning in both.
  gains() {
    const place = byId("compare-gains");
    const [mine, its] = [this.solution, this.other];
    if (!its || !mine.result) {
      place.replaceChildren();
      return;
    }
    const { scale, words: unit } = this.unit();
    const error = mine.exploitability / scale[0] + its.exploitability / scale[1];
    const words = mine.result.players.map((player, at) => {
      const gets = player.gets / scale[0];
      const change = gets - its.result.players[at].gets / scale[1];
      return `player ${at + 1} gets ${this.amount(gets)}, ${this.amount(Math.abs(change))} ${change < 0 ? "less" : "more"}`;
    });
    place.replaceChildren("Here ", words.join("; "), ` than in `, element("a", { href: `/study/${its.id}` }, "the other solution"),
      // Each value is as far from the true one as both players' best responses win together, at most.
      `${unit}. What is solved further can change that by ${this.amount(2 * error)} at most.`);
  }

  // Chips where the pots are the same, else shares of each pot.
  unit() {
    const pots = [this.solution, this.other].map((solution) => solution.parameters.pot);
    return pots[0] === pots[1] ? { scale: [1, 1], chips: true, words: ", in chips" } : { scale: pots, chips: false, words: ", as shares of the pot" };
  }
  amount(number) {
    return this.unit().chips ? number.toFixed(2) : percent(number, 1);
  }

  // Shows the same place of the other solution.
  async show(here, player) {
    [this.here, this.player] = [here, player];
    // An answer that is still on its way is for what was compared before.
    const now = this.latest = {};
    if (!this.other) return;
    const { id } = this.other;
    if (this.there?.line !== here.line || this.there.id !== id) {
      let place = null;
      try {
        place = await ask("GET", `/solutions/${id}/place?line=${encodeURIComponent(here.line)}`);
      } catch { /* its menu has other bets */ }
      if (now !== this.latest) return;
      this.there = { id, line: here.line, place };
    }
    this.draw();
  }

  draw() {
    const [here, there] = [this.here, this.there.place];
    const missing = byId("compare-missing");
    missing.hidden = there !== null;
    missing.textContent = there === null ? "The other solution does not come to this place." : "";
    for (const name of ["compare-actions", "compare-cells"]) byId(name).hidden = there === null;
    if (there === null) return;
    const acting = here.way.at(-1).player;
    const shared = acting !== null && there.way.at(-1).player === acting;
    this.actions(shared ? [here, there] : null);
    const mine = shared && this.player === acting - 1;
    const common = mine ? here.actions.filter(({ word }) => there.actions.some((other) => other.word === word)) : [];
    const quantities = [...common.map(({ word, name }) => [word, name]), ["ev", "EV"]];
    if (!quantities.some(([word]) => word === this.quantity)) {
      const apart = ({ word, frequency }) => Math.abs(frequency - there.actions.find((other) => other.word === word).frequency);
      this.quantity = [...common].sort((one, other) => apart(other) - apart(one))[0]?.word ?? "ev";
    }
    this.tabs.replaceChildren(...quantities.map(([word, name]) => {
      const tab = element("button", { type: "button", class: "tab" }, name);
      tab.setAttribute("aria-pressed", String(word === this.quantity));
      tab.addEventListener("click", () => {
        this.quantity = word;
        this.draw();
        /** @type {HTMLElement} */ (this.tabs.querySelector('[aria-pressed="true"]')).focus();
      });
      return tab;
    }));
    this.cells([here, there]);
  }

  // The frequencies of the actions of both.
  actions(places) {
    const box = byId("compare-actions");
    if (!places) {
      box.replaceChildren(element("p", { class: "small soft" }, "Nobody acts here."));
      return;
    }
    const words = [...new Set(places.flatMap(({ actions }) => actions.map(({ word }) => word)))];
    const { scale } = this.unit();
    const body = element("tbody");
    for (const word of words) {
      const both = places.map(({ actions }) => actions.find((action) => action.word === word));
      const share = both.map((action) => (action ? percent(action.frequency) : "–"));
      const gets = both.map((action, at) => (action?.gets === null || !action ? "–" : this.amount(action.gets / scale[at])));
      const change = both[0] && both[1] ? points(both[0].frequency - both[1].frequency) : "";
      body.append(element("tr", {}, element("th", { scope: "row" }, both.find(Boolean).name),
        ...[...share, change, ...gets].map((text) => element("td", { class: "num" }, text))));
    }
    const head = ["", "Here", "There", "Points", "EV here", "There"].map((text, at) => element("th", at ? { class: "num" } : {}, text));
    box.replaceChildren(element("div", { class: "wide", role: "region", tabIndex: 0, "aria-label": "Actions in both solutions, a table" },
      element("table", { class: "hands" }, element("thead", {}, element("tr", {}, ...head)), body)));
  }

  // The difference of each cell, here less there.
  cells(places) {
    const { scale, chips } = this.unit();
    const both = places.map((place) => this.cellsOf(place, this.player));
    const pot = this.here.way.at(-1).pot / scale[0];
    const numbers = both.map((cells, at) => {
      const action = places[at].actions.findIndex(({ word }) => word === this.quantity);
      return cells.map((cell) => {
        if (cell.combos < 0.005) return null;
        if (this.quantity !== "ev") return cell.mix[action];
        return cell.gets === null ? null : cell.gets / scale[at];
      });
    });
    const what = this.quantity === "ev" ? "EV" : places[0].actions.find(({ word }) => word === this.quantity).name;
    let [largest, where] = [0, null];
    for (const [at, cell] of [...this.grid.children].entries()) {
      const [one, other] = numbers.map((list) => list[at]);
      const none = one === null || other === null;
      const change = none ? 0 : one - other;
      if (Math.abs(change) > Math.abs(largest)) [largest, where] = [change, CELLS[at]];
      const full = this.quantity === "ev" ? 0.25 * pot : 1;
      cell.style.backgroundImage = none ? "none" : tint(change, full);
      cell.classList.toggle("none", none);
      const text = this.quantity === "ev" && chips ? signed(change, Math.abs(change) < 9.95 ? 1 : 0) : points(change, 0);
      cell.querySelector(".number").textContent = none || /^[+−]0(\.0)?$/.test(text) ? "" : text;
      const shown = (number) => (this.quantity === "ev" ? this.amount(number) : percent(number));
      cell.title = none ? `${CELLS[at]}: not in both ranges` : `${CELLS[at]}: ${what} here ${shown(one)}, there ${shown(other)}`;
    }
    const unit = this.quantity === "ev" ? (chips ? "chips" : "percent of the pot") : "percentage points";
    const most = where === null ? "no hand differs" : `most at ${where}`;
    byId("compare-about").textContent = `${what}, here less there, in ${unit}: ${most}.`;
    this.grid.setAttribute("aria-label", `Differences of player ${this.player + 1}: ${byId("compare-about").textContent}`);
  }
}
