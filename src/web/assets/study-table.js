// The hands of a player as a breakdown by class and draw, which is also the filter, and as a table
// that can be sorted.

import { element, percent } from "./page.js";
import { cards } from "./study-grid.js";

// As many rows as are shown without being asked for more.
const FEW = 20;

export class HandTable {
  // `changed` is called when the filter has changed.
  constructor(place, changed) {
    this.place = place;
    this.changed = changed;
    this.filter = { classes: new Set(), draws: new Set() };
    this.sort = { by: "class", down: false };
    this.all = false;
  }

  get filtered() {
    return this.filter.classes.size + this.filter.draws.size > 0;
  }

  // Whether a hand of this view passes the filter.
  passes(view, at) {
    const { classes, draws } = this.filter;
    return (classes.size === 0 || classes.has(view.classes[at])) && (draws.size === 0 || draws.has(view.draws[at]));
  }

  clear() {
    this.filter.classes.clear();
    this.filter.draws.clear();
    this.changed();
  }

  // Shows the hands of a view: `actions` with the names of their colours, none where nobody acts.
  show({ view, actions, kinds, pot, names, who }) {
    this.shown = { view, actions, kinds, pot, names, who };
    this.breakdown();
    this.table();
  }

  breakdown() {
    const { view, actions, kinds, names } = this.shown;
    const total = view.weights.reduce((sum, weight) => sum + weight, 0);
    const group = (label, labels, numbers, chosen) => {
      const rows = labels.map((name, number) => {
        let combos = 0;
        const mix = actions.map(() => 0);
        view.weights.forEach((weight, at) => {
          if (numbers[at] !== number) return;
          combos += weight;
          mix.forEach((_, action) => { mix[action] += weight * view.strategy[action][at]; });
        });
        return { name, number, combos, mix };
      }).filter(({ combos }) => combos > 0.0005);
      if (rows.length < 2) return null;
      const list = element("div", { class: "kinds", role: "group" });
      list.setAttribute("aria-label", label);
      list.append(element("h3", {}, label));
      for (const { name, number, combos, mix } of rows) {
        const bar = element("span", { class: "mix" });
        const said = [];
        mix.forEach((amount, action) => {
          const part = element("span", { class: kinds[action] });
          part.style.width = `${(100 * amount) / combos}%`;
          bar.append(part);
          said.push(`${actions[action].name} ${percent(amount / combos, 0)}`);
        });
        if (!actions.length) {
          const part = element("span", { class: "some" });
          part.style.width = `${(100 * combos) / total}%`;
          bar.append(part);
        }
        const button = element("button", { type: "button", class: "kind" },
          element("span", { class: "what" }, name), bar, element("span", { class: "num" }, percent(combos / total)));
        button.title = [`${combos.toFixed(1)} combos`, ...said].join(", ");
        button.setAttribute("aria-pressed", chosen.has(number));
        button.setAttribute("aria-label", `${name}: ${percent(combos / total)} of the range, ${button.title}`);
        button.addEventListener("click", () => {
          if (!chosen.delete(number)) chosen.add(number);
          this.changed();
          // It was made anew.
          this.place.querySelector(`.kind[data-kind="${label} ${number}"]`)?.focus();
        });
        button.dataset.kind = `${label} ${number}`;
        list.append(button);
      }
      return list;
    };
    const groups = [
      group("Made hands", names.classes, view.classes, this.filter.classes),
      group("Draws", names.draws, view.draws, this.filter.draws),
    ].filter(Boolean);
    this.groups = element("div", { class: "breakdown" }, ...groups);
  }

  columns() {
    const { view, actions, pot, names } = this.shown;
    const none = (number) => (number === null ? -Infinity : number);
    // On the river there are no draws.
    const drawn = view.draws.some((draw) => draw !== names.draws.length - 1);
    return [
      { key: "hand", head: "Hand", value: (at) => view.hands[at], text: (at) => cards(view.hands[at]), words: true },
      { key: "class", head: "Made", value: (at) => view.classes[at], text: (at) => names.classes[view.classes[at]], words: true },
      ...(drawn ? [{ key: "draw", head: "Draw", value: (at) => view.draws[at], text: (at) => (view.draws[at] === names.draws.length - 1 ? "" : names.draws[view.draws[at]]), words: true }] : []),
      ...actions.map((action, number) => ({
        key: action.word, head: action.name, value: (at) => view.strategy[number][at], text: (at) => percent(view.strategy[number][at], 0), action: number,
      })),
      { key: "gets", head: "EV", value: (at) => none(view.gets[at]), text: (at) => view.gets[at]?.toFixed(2) ?? "–" },
      { key: "equity", head: "Equity", value: (at) => none(view.equities[at]), text: (at) => (view.equities[at] === null ? "–" : percent(view.equities[at])) },
      { key: "realised", head: "Realised", value: (at) => (view.equities[at] ? none(view.gets[at]) / pot / view.equities[at] : -Infinity),
        text: (at) => (view.equities[at] && view.gets[at] !== null ? percent(view.gets[at] / pot / view.equities[at], 0) : "–") },
      { key: "weight", head: "Weight", value: (at) => view.weights[at], text: (at) => percent(view.weights[at], 1) },
    ];
  }

  table() {
    const { view, kinds, who } = this.shown;
    const columns = this.columns();
    const by = columns.find(({ key }) => key === this.sort.by) ?? columns[1];
    const hands = view.hands.map((_, at) => at).filter((at) => this.passes(view, at));
    const order = (one, other) => {
      const [a, b] = [by.value(one), by.value(other)];
      return (a < b ? -1 : a > b ? 1 : 0) * (this.sort.down ? -1 : 1) || one - other;
    };
    hands.sort(order);
    const head = element("tr");
    for (const column of columns) {
      const button = element("button", { type: "button", class: "sort" },
        column.action === undefined ? null : element("span", { class: `swatch ${kinds[column.action]}` }), column.head);
      const cell = element("th", { class: column.words ? "" : "num" }, button);
      if (column === by) cell.setAttribute("aria-sort", this.sort.down ? "descending" : "ascending");
      button.addEventListener("click", () => {
        // Numbers begin with the largest.
        this.sort = { by: column.key, down: column === by ? !this.sort.down : !column.words };
        this.table();
        this.place.querySelector("th[aria-sort] button")?.focus();
      });
      head.append(cell);
    }
    const body = element("tbody");
    const many = this.all ? hands.length : Math.min(FEW, hands.length);
    for (const at of hands.slice(0, many)) {
      body.append(element("tr", {}, ...columns.map((column) => element("td", { class: column.words ? "nowrap" : "num" }, column.text(at)))));
    }
    const rest = hands.length - many;
    const more = rest > 0 ? element("button", { type: "button", class: "plain small" }, `Show ${rest} more`) : null;
    more?.addEventListener("click", () => { this.all = true; this.table(); });
    const clear = this.filtered ? element("button", { type: "button", class: "plain small" }, "Show all kinds") : null;
    clear?.addEventListener("click", () => this.clear());
    const combos = hands.reduce((sum, at) => sum + view.weights[at], 0);
    const scroll = element("div", { class: "wide", tabIndex: 0 }, element("table", { class: "all-hands" }, element("thead", {}, head), body));
    this.place.replaceChildren(
      element("header", {}, element("h2", {}, `Hands of ${who}`),
        element("span", { class: "soft small" }, `${hands.length} hands, ${combos.toFixed(1)} combos`), ...(clear ? [clear] : [])),
      this.groups, scroll, ...(more ? [more] : []));
  }
}
