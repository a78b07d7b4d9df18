// The cards that can come as a table: what the next player does after each, what both players get,
// hold and realise, sorted by any column, and as means by rank, by suit or by what the card does to
// the board.

import { element, percent, signed } from "./page.js";
import { cards } from "./study-grid.js";

const RANKS = "23456789TJQKA";
const SUITS = { s: "spades", h: "hearts", d: "diamonds", c: "clubs" };

// What a card does to a board, in words.
const effect = (card, board) => {
  const had = board.match(/../g) ?? [];
  if (had.some(([rank]) => rank === card[0])) return "pairs the board";
  const suited = had.filter((other) => other[1] === card[1]).length;
  if (suited >= 2) return `is card ${suited + 1} of a suit`;
  const highest = Math.max(...had.map(([rank]) => RANKS.indexOf(rank)));
  return RANKS.indexOf(card[0]) > highest ? "is the highest card" : "does none of these";
};
const GROUPS = {
  "each card": (card) => card,
  "by rank": (card) => card[0],
  "by suit": (card) => SUITS[card[1]],
  "by what it does": effect,
};

// A line of the table: the means of some cards by how likely they are.
const line = (name, found, pot) => {
  const all = found.reduce((sum, { chance }) => sum + chance, 0);
  const mean = (of) => found.reduce((sum, card) => sum + card.chance * of(card), 0) / (all || 1);
  const actions = new Map();
  for (const { actions: taken, chance } of found) {
    for (const { name: action, frequency } of taken) actions.set(action, (actions.get(action) ?? 0) + (chance * frequency) / (all || 1));
  }
  const gets = [0, 1].map((player) => mean((card) => card.gets[player]));
  const equities = [0, 1].map((player) => mean((card) => card.equities[player]));
  const realised = [0, 1].map((player) => (equities[player] > 0 ? gets[player] / pot / equities[player] : null));
  return { name, count: found.length, actions, gets, equities, realised };
};

// The table of what was found; `pot` is the pot when the card is dealt.
export const cardsTable = (found, pot, board) => {
  const names = [...new Set(found.flatMap(({ actions }) => actions.map(({ name }) => name)))];
  const all = line("all", found, pot);
  const columns = [
    ["Card", ({ name }) => name, null],
    ...names.map((name) => [name, ({ actions }) => actions.get(name) ?? 0, (share) => percent(share, 0)]),
    ["EV 1", ({ gets }) => gets[0], (number) => number.toFixed(2)],
    ["less all", ({ gets }) => gets[0] - all.gets[0], (number) => signed(number, 2)],
    ["EV 2", ({ gets }) => gets[1], (number) => number.toFixed(2)],
    ["Equity 1", ({ equities }) => equities[0], (share) => percent(share, 1)],
    ["Realised 1", ({ realised }) => realised[0], (share) => (share === null ? "" : percent(share, 0))],
    ["Realised 2", ({ realised }) => realised[1], (share) => (share === null ? "" : percent(share, 0))],
  ];
  let sorted = [columns.length - 6, -1];
  let group = "each card";
  const body = element("tbody");
  const head = element("tr");
  const draw = () => {
    const parts = new Map();
    for (const one of found) {
      const key = GROUPS[group](one.card, board);
      parts.set(key, [...(parts.get(key) ?? []), one]);
    }
    const [at, way] = sorted;
    const value = columns[at][1];
    const lines = [...parts].map(([name, some]) => line(name, some, pot));
    const order = (text) => (text.length === 2 ? 4 * RANKS.indexOf(text[0]) + "cdhs".indexOf(text[1]) : RANKS.indexOf(text));
    lines.sort((one, other) => way * (at === 0 ? order(one.name) - order(other.name) : value(one) - value(other)));
    const row = (it, first) => element("tr", { class: first ? "all" : "" },
      element("th", { scope: "row" }, ...(it.name.length === 2 && group === "each card" ? [cards(it.name)] : [it.name]), it.count > 1 ? element("span", { class: "soft small" }, ` ${it.count} cards`) : ""),
      ...columns.slice(1).map(([, of, words]) => element("td", { class: "num" }, words(of(it)))));
    body.replaceChildren(row(all, true), ...lines.map((it) => row(it, false)));
    [...head.children].forEach((cell, number) => cell.setAttribute("aria-sort", number === at ? (way > 0 ? "ascending" : "descending") : "none"));
  };
  columns.forEach(([name], at) => {
    const button = element("button", { type: "button", class: "plain small" }, name);
    button.addEventListener("click", () => {
      sorted = [at, sorted[0] === at ? -sorted[1] : -1];
      draw();
    });
    head.append(element("th", { scope: "col", class: at ? "num" : "" }, button));
  });
  const choose = element("select", {}, ...Object.keys(GROUPS).map((name) => element("option", {}, name)));
  choose.addEventListener("change", () => {
    group = choose.value;
    draw();
  });
  draw();
  const region = element("div", { class: "wide", tabIndex: 0, role: "region" }, element("table", { class: "cards-table small" }, element("thead", {}, head), body));
  region.setAttribute("aria-label", "Cards, a table");
  return element("details", { class: "as-table" }, element("summary", { class: "small" }, "As a table"), element("p", { class: "small" }, element("label", {}, "Means ", choose)), region,
    element("p", { class: "small soft" }, "Cards count by how likely they are with the hands that both may hold. Realised: EV as a share of the pot, divided by the equity."));
};
