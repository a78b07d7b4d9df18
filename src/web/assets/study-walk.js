// Walks through a solution: the way by actions and cards, the grids of both players, the actions and
// the hands of a cell. All numbers are the server's; here they are added up by cell and drawn.

import { cardsTable } from "./study-cards.js";
import { Comparison } from "./study-compare.js";
import { showEquities } from "./study-equity.js";
import { lockForm, showLocks } from "./study-lock.js";
import { showNeeds, showRiver } from "./study-river.js";
import { showSimple } from "./study-simple.js";
import { HandTable } from "./study-table.js";
import { ask, byId, element, percent, signed, toClipboard } from "./page.js";
import { CELLS, cardName, cards, cellOf, deck, rangeItem, roving, tint } from "./study-grid.js";

const root = byId("walk");
const id = root.dataset.id;
const wrong = byId("wrong");

const METRICS = [
  ["strategy", "Strategy", "what is done, as wide as often; as high as the weight of the hands in the range"],
  ["gets", "EV", "chips of the pot that the hands get from here on, less those that they put in"],
  ["equity", "Equity", "the share of the pot if nobody bets any more"],
  ["realised", "Realised", "EV as a share of the pot, divided by the equity: above 100 % a hand gets more than its share"],
  ["weight", "Weight", "how much of the hands is in the range here"],
  ["difference", "Difference", "how many chips more one action is worth to the hands than another"],
];
// The hand of a decision that led here; empty for none.
const wanted = /^[2-9TJQKA][cdhs][2-9TJQKA][cdhs]$/.exec(new URLSearchParams(location.search).get("hand") ?? "")?.[0] ?? "";
const isWanted = (hand) => [hand, hand.slice(2) + hand.slice(0, 2)].includes(wanted);
let metric = "strategy";
// The words of the two actions whose values are compared: how much more the first is worth.
let pair = ["", ""];
let place = null;
let solution = null;
let chosen = null;
// Which player is shown large: 0, 1, or null for the one who acts.
let large = null;
// Only the last place that was asked for is shown.
let latest = null;

const complain = (text) => {
  wrong.textContent = text;
  wrong.hidden = !text;
};
const currentLine = () => new URLSearchParams(location.search).get("line") ?? "";
// The address of a place, with what is compared.
const address = (line) => {
  const words = new URLSearchParams(location.search);
  if (line) words.set("line", line);
  else words.delete("line");
  words.delete("hand");
  return words.size ? `?${words}` : location.pathname;
};
const chips = (number) => number.toFixed(2);
// With three digits or a little more, for cells.
const few = (number) => number.toFixed(Math.abs(number) >= 99.95 ? 0 : Math.abs(number) >= 9.995 ? 1 : 2);

// The class of an action's colour: raises are numbered from the smallest.
const colours = (actions) => {
  let raises = 0;
  return actions.map(({ kind }) => (kind === "raise" ? `raise-${Math.min(raises++, 4)}` : kind));
};
const colourOf = (name) => `var(--act-${name})`;

// ---- Going somewhere.
const link = (line, attributes, ...children) => {
  const made = element("a", { href: address(line), ...attributes }, ...children);
  made.dataset.line = line;
  return made;
};
root.addEventListener("click", (event) => {
  const to = event.target.closest("a[data-line]");
  if (!to || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  go(to.dataset.line);
});
const go = (line, push = true) => {
  if (push && line !== currentLine()) history.pushState(null, "", address(line));
  return load(line);
};
window.addEventListener("popstate", () => load(currentLine()));

async function load(line) {
  const now = latest = {};
  root.setAttribute("aria-busy", "true");
  try {
    const found = await ask("GET", `/solutions/${id}/place?line=${encodeURIComponent(line)}`);
    if (now !== latest) return;
    place = found;
    complain("");
    show();
    if (wanted && chosen === null) choose(cellOf(wanted));
  } catch (error) {
    if (now !== latest) return;
    // Before the first iteration there is nothing to show.
    if (error.code !== 409) complain(error.message);
    // The solver is busy, as with writing a large solution to its file.
    if (error.code === 503) {
      setTimeout(() => now === latest && load(line), 1000);
      return;
    }
  }
  if (now === latest) root.removeAttribute("aria-busy");
}

// ---- The way.
const WHO = ["Player 1", "Player 2"];
const showWay = () => {
  const boxes = place.way.map((step, at) => {
    const last = at === place.way.length - 1;
    const box = element("div", { class: last ? "step now" : "step" });
    const after = (word) => [step.line, word].filter(Boolean).join(" ");
    if (at === 0) box.append(link("", { class: "start" }, cards(step.board)));
    if (step.next === "action") {
      box.append(element("span", { class: "who small soft" }, `${WHO[step.player - 1]} · pot ${step.pot}`));
      const kinds = colours(step.options);
      step.options.forEach((option, number) => {
        const taken = option.word === step.taken;
        const made = link(after(option.word), { class: taken ? "option taken" : "option" },
          element("span", { class: `swatch ${kinds[number]}` }), option.name);
        if (taken) made.setAttribute("aria-current", "step");
        box.append(made);
      });
    } else if (step.next === "card") {
      const street = step.board.length === 6 ? "Turn" : "River";
      box.append(element("span", { class: "who small soft" }, `${street} · pot ${step.pot}`));
      if (step.taken) {
        box.append(link(step.line, { class: "option taken card-taken", title: "Choose another card" }, cards(step.taken)));
      } else {
        box.append(element("span", { class: "small" }, "choose a card below"));
      }
    } else {
      const [one, other] = step.stacks;
      const words = one === 0 || other === 0 ? "All-in: the cards decide" : "The hand is over";
      box.append(element("span", { class: "who small soft" }, `pot ${step.pot}`), element("span", { class: "small" }, words));
    }
    return box;
  });
  byId("way").replaceChildren(...boxes);
  byId("way").scrollLeft = byId("way").scrollWidth;
};

// ---- Adding up hands by cell.
const cellsOf = (where, player) => {
  const view = where.hands[player];
  /** @type {any[]} */
  const cells = CELLS.map(() => ({ combos: 0, hands: [] }));
  view.hands.forEach((hand, number) => {
    if (player === shownPlayer() && !table.passes(view, number)) return;
    const cell = cells[cellOf(hand)];
    cell.hands.push(number);
    cell.combos += view.weights[number];
  });
  for (const [at, cell] of cells.entries()) {
    cell.full = Math.min(1, cell.combos / Math.max(1, possible(at)));
    cell.gets = mean(view, cell, view.gets);
    cell.equity = mean(view, cell, view.equities);
    cell.mix = view.strategy.map((numbers) => mean(view, cell, numbers) ?? 0);
  }
  return cells;
};
// The mean of a cell's hands, by their weights; null without a number.
const mean = (view, cell, numbers) => {
  let [sum, all] = [0, 0];
  for (const at of cell.hands) {
    if (numbers[at] === null) continue;
    sum += view.weights[at] * numbers[at];
    all += view.weights[at];
  }
  return all > 0 ? sum / all : null;
};
// The combos of a cell that the board leaves.
const possible = (at) => {
  const board = place.way.at(-1).board;
  const [a, b, suits] = CELLS[at];
  const left = (rank) => [..."shdc"].filter((suit) => !board.includes(rank + suit));
  if (!suits) return (left(a).length * (left(a).length - 1)) / 2;
  const both = left(a).filter((suit) => left(b).includes(suit)).length;
  return suits === "s" ? both : left(a).length * left(b).length - both;
};
const pot = () => place.way.at(-1).pot;
const numberOf = (cell) => {
  switch (metric) {
    case "gets": return cell.gets;
    case "equity": return cell.equity;
    case "realised": return cell.gets === null || !cell.equity ? null : cell.gets / pot() / cell.equity;
    case "difference": return cell.difference;
    default: return null;
  }
};
const words = (number) => {
  if (number === null) return "";
  if (metric === "difference") return signed(number, Math.abs(number) < 9.95 ? 1 : 0);
  return metric === "gets" ? few(number) : (100 * number).toFixed(0);
};

// The numbers of the two actions that are compared; null where there are none.
const compared = () => {
  const numbers = pair.map((word) => place.actions.findIndex((action) => action.word === word));
  return numbers.includes(-1) ? null : numbers;
};
const addDifferences = (player, cells) => {
  const both = player === acting() ? compared() : null;
  const view = place.hands[player];
  const numbers = both && view.hands.map((_, hand) => {
    const [one, other] = both.map((action) => view.values[action][hand]);
    return one === null || other === null ? null : one - other;
  });
  for (const cell of cells) cell.difference = numbers && mean(view, cell, numbers);
};

// The picture in a cell: bars side by side as wide as often, from the bottom as high as the weight.
const paint = (target, cell, kinds) => {
  if (metric === "difference" && kinds.length) {
    const shown = cell.combos > 0 && cell.difference !== null;
    target.style.backgroundImage = shown ? tint(cell.difference, 0.25 * pot()) : "none";
    target.style.backgroundSize = "100% 100%";
    return;
  }
  const parts = [];
  if (metric === "strategy" && kinds.length) {
    let from = 0;
    cell.mix.forEach((share, action) => {
      const to = from + 100 * share;
      parts.push(`${colourOf(kinds[action])} ${from.toFixed(2)}% ${to.toFixed(2)}%`);
      from = to;
    });
  } else if (["strategy", "weight", "difference"].includes(metric)) {
    parts.push("var(--some) 0% 100%");
  } else {
    const number = numberOf(cell);
    const share = metric === "gets" ? (number ?? 0) / pot() : metric === "equity" ? number ?? 0 : (number ?? 0) / 1.5;
    const strength = Math.round(100 * Math.max(0, Math.min(1, share)));
    parts.push(`color-mix(in srgb, var(--high) ${strength}%, var(--low)) 0% 100%`);
  }
  target.style.backgroundImage = cell.combos > 0 ? `linear-gradient(to right, ${parts.join(", ")})` : "none";
  target.style.backgroundSize = `100% ${(100 * cell.full).toFixed(1)}%`;
};

const said = (cell, at, names) => {
  if (cell.combos === 0) return `${CELLS[at]}: not in the range`;
  const shares = names.map((name, action) => `${name} ${percent(cell.mix[action], 0)}`);
  const gets = cell.gets === null ? [] : [`EV ${chips(cell.gets)}`];
  const equity = cell.equity === null ? [] : [`equity ${percent(cell.equity, 0)}`];
  const apart = metric === "difference" && cell.difference !== null
    ? [`difference ${signed(cell.difference, 2)}`] : [];
  const combos = `${cell.combos.toFixed(1)} combos`;
  return `${CELLS[at]}: ${[...apart, ...shares, ...gets, ...equity, combos].join(", ")}`;
};

const grid = byId("grid");
const other = byId("other");
for (const [at, name] of CELLS.entries()) {
  const cell = element("button", { type: "button", class: "cell", tabIndex: -1 },
    element("span", { class: "name" }, name), element("span", { class: "number" }));
  cell.dataset.at = at;
  cell.addEventListener("click", () => choose(at));
  cell.addEventListener("focus", () => choose(at));
  cell.addEventListener("pointerenter", (event) => { if (event.pointerType === "mouse") peek(at); });
  grid.append(cell);
  other.append(element("span", { class: "cell" }, element("span", { class: "name" }, name)));
}
grid.addEventListener("pointerleave", () => peek(null));
roving(grid, 13);

const acting = () => {
  const player = place.way.at(-1).player;
  return player === null ? null : player - 1;
};
const shownPlayer = () => large ?? acting() ?? 0;

const showGrids = () => {
  const main = shownPlayer();
  const kindsOf = (player) => (player === acting() ? colours(place.actions) : []);
  for (const [player, target] of [[main, grid], [1 - main, other]]) {
    const cells = cellsOf(place, player);
    addDifferences(player, cells);
    const kinds = kindsOf(player);
    const names = player === acting() ? place.actions.map(({ name }) => name) : [];
    cells.forEach((cell, at) => {
      const shown = target.children[at];
      paint(shown, cell, kinds);
      shown.classList.toggle("none", cell.combos < 0.005);
      if (target === grid) {
        shown.querySelector(".number").textContent = cell.combos > 0 ? words(numberOf(cell)) : "";
        shown.setAttribute("aria-label", said(cell, at, names));
      }
    });
    if (target === grid) grid.cells = cells;
  }
  const combos = (player) => place.hands[player].weights.reduce((sum, weight) => sum + weight, 0);
  const about = (player) => {
    const now = acting() === player ? "to act" : acting() === null ? "" : "waits";
    return [WHO[player], now].filter(Boolean).join(" ");
  };
  const numbers = (player) => `${combos(player).toFixed(1)} combos · EV ${chips(place.gets[player])} · equity ${percent(place.equities[player])}`;
  byId("who").replaceChildren(about(main), element("span", { class: "soft small numbers" }, numbers(main)));
  byId("other-who").replaceChildren(about(1 - main), element("span", { class: "soft small numbers" }, numbers(1 - main)));
  other.setAttribute("aria-label", `The range of player ${2 - main}: ${numbers(1 - main)}`);
  for (const [player, button] of [[main, copies[0]], [1 - main, copies[1]]]) {
    button.dataset.player = player;
    button.setAttribute("aria-label", `Copy the range of ${WHO[player].toLowerCase()} here`);
    button.disabled = combos(player) === 0;
  }
};

// ---- The ranges as text.
// A range here as the field for a range reads it: a cell whose hands have the same weight by its
// name, others hand by hand.
const rangeText = (player) => {
  const view = place.hands[player];
  const cells = CELLS.map(() => []);
  view.hands.forEach((hand, number) => {
    const weight = Number(view.weights[number].toFixed(4));
    if (weight > 0) cells[cellOf(hand)].push({ hand, weight });
  });
  return cells.flatMap((hands, at) => {
    const whole = hands.length > 0 && hands.length === possible(at);
    if (whole && hands.every(({ weight }) => weight === hands[0].weight)) {
      return [rangeItem(CELLS[at], hands[0].weight)];
    }
    return hands.map(({ hand, weight }) => rangeItem(hand, weight));
  }).join(",");
};
// A button for the range that is shown large, and one for the other.
const copies = [byId("who"), byId("other-who")].map((name) => {
  const title = "As text for the field of a range";
  const button = element("button", { type: "button", class: "plain small copy", title }, "Copy range");
  const said = element("span", { class: "small soft", role: "status" });
  button.addEventListener("click", async () => {
    try {
      await toClipboard(rangeText(Number(button.dataset.player)));
      said.textContent = "Copied.";
    } catch {
      said.textContent = "The browser does not let this page copy.";
    }
    setTimeout(() => said.replaceChildren(), 4000);
  });
  name.after(button, said);
  return button;
});
const swapPlayers = () => {
  large = 1 - shownPlayer();
  showLegend();
  showGrids();
  showActions();
  showCell();
  showNeedsOfCell();
  showTable();
  comparison.show(place, shownPlayer());
};
byId("swap").addEventListener("click", () => swapPlayers());

// ---- The hands by class and draw, and as a table.
const table = new HandTable(byId("hands"), () => {
  showGrids();
  showActions();
  showCell();
  showTable();
  comparison.show(place, shownPlayer());
});
const comparison = new Comparison(id, cellsOf);
const showTable = () => {
  const player = shownPlayer();
  const acts = player === acting();
  table.show({
    view: place.hands[player],
    actions: acts ? place.actions : [],
    kinds: acts ? colours(place.actions) : [],
    pot: pot(),
    names: { classes: place.class_names, draws: place.draw_names },
    who: WHO[player].toLowerCase(),
  });
};

// ---- The actions of the acting player, or the cards to come.
const showActions = () => {
  const box = byId("actions");
  const step = place.way.at(-1);
  if (step.next === "card") {
    box.replaceChildren(element("h2", {}, step.board.length === 6 ? "Turn card" : "River card"), element("div", { class: "deck", role: "group" }));
    const cardsBox = box.lastChild;
    cardsBox.setAttribute("aria-label", "The next card");
    const free = new Set(step.options.map(({ word }) => word));
    deck(cardsBox, (card) => go([step.line, card].filter(Boolean).join(" ")));
    for (const button of cardsBox.children) {
      button.disabled = !free.has(button.dataset.card);
      button.setAttribute("aria-label", cardName(button.dataset.card));
    }
    const first = [...cardsBox.children].find((button) => !button.disabled);
    for (const button of cardsBox.children) button.tabIndex = button === first ? 0 : -1;
    reportCards(box, step.line);
    return;
  }
  if (step.next === "end") {
    box.replaceChildren(element("h2", {}, "The end"), element("p", { class: "small soft" },
      `Player 1 gets ${chips(place.gets[0])} and player 2 ${chips(place.gets[1])} of the pot of ${step.pot} on average, less what is put in.`));
    return;
  }
  const kinds = colours(place.actions);
  const list = element("ol", { class: "acts" });
  const filtered = table.filtered && shownPlayer() === acting();
  const actions = filtered ? ofFiltered(place.hands[acting()]) : place.actions;
  actions.forEach((action, number) => {
    const line = [step.line, action.word].filter(Boolean).join(" ");
    const share = action.share_of_pot === null ? "" : `${percent(action.share_of_pot, 0)} of the pot`;
    const bar = element("span", { class: `part ${kinds[number]}` });
    bar.style.width = `${(100 * action.frequency).toFixed(2)}%`;
    const gets = action.gets === null ? "" : `EV ${chips(action.gets)}`;
    list.append(element("li", {}, link(line, { class: "act" },
      element("span", { class: "top" }, element("kbd", { "aria-hidden": "true" }, String(number + 1)),
        element("strong", {}, action.name), element("span", { class: "soft small" }, share),
        element("span", { class: "share" }, percent(action.frequency))),
      element("span", { class: "track" }, bar),
      element("span", { class: "soft small" }, [`${action.combos.toFixed(1)} combos`, gets].filter(Boolean).join(" · ")))));
  });
  if (filtered) list.append(element("li", { class: "small soft" }, "Of the hands that are chosen below."));
  const owed = step.to_call > 0 ? `${step.to_call} to call, ${percent(step.to_call / (step.pot + step.to_call), 0)} needed` : "nothing to call";
  box.replaceChildren(element("header", {}, element("h2", {}, `${WHO[step.player - 1]} may`),
    element("span", { class: "soft small" }, `pot ${step.pot} · ${owed} · stacks ${step.stacks.join(" and ")}`)), list);
  if (solution?.parameters.precision === "single") box.append(lockForm({ solution, line: step.line, actions, scopes: scopes(), complain }));
};
// The hands that can be locked together, as ranges.
const scopes = () => {
  const view = place.hands[acting()];
  const found = [["all hands", "random"]];
  if (chosen !== null && shownPlayer() === acting() && grid.cells[chosen].hands.length) found.push([CELLS[chosen], CELLS[chosen]]);
  if (table.filtered && shownPlayer() === acting()) {
    found.unshift(["the hands that are chosen below", view.hands.filter((_, at) => table.passes(view, at)).join(",")]);
  }
  return found;
};

// What each card leads to: at once where that is soon known, else when it is asked for.
const SOON = 30e6;
const reportCards = (box, line) => {
  const about = element("p", { class: "small soft" });
  const report = async () => {
    about.textContent = "Comparing the cards …";
    try {
      const found = await ask("GET", `/solutions/${id}/cards?line=${encodeURIComponent(line)}`);
      if (box.contains(about)) drawCards(box, about, found.cards);
    } catch (error) {
      about.textContent = error.message;
    }
  };
  box.append(about);
  if (solution && solution.size.cells <= SOON) {
    report();
    return;
  }
  const compare = element("button", { type: "button", class: "plain small" }, "Compare all cards");
  compare.addEventListener("click", report);
  about.append(compare);
};
const drawCards = (box, about, found) => {
  const deckBox = box.querySelector(".deck");
  deckBox.classList.add("drawn");
  const player = found[0].player;
  for (const { card, actions, gets, equities } of found) {
    const button = deckBox.querySelector(`[data-card="${card}"]`);
    const kinds = colours(actions);
    let from = 0;
    const parts = actions.map(({ frequency }, action) => {
      const to = from + 100 * frequency;
      const part = `${colourOf(kinds[action])} ${from.toFixed(2)}% ${to.toFixed(2)}%`;
      from = to;
      return part;
    });
    button.style.backgroundImage = `linear-gradient(to right, ${parts.join(", ")})`;
    const name = button.textContent;
    button.replaceChildren(element("span", { class: "of" }, name), element("span", { class: "of small" }, few(gets[0])));
    const words = actions.map(({ name: action, frequency }) => `${action} ${percent(frequency, 0)}`).join(", ");
    button.title = `${words}; EV ${chips(gets[0])} and ${chips(gets[1])}; equity of player 1 ${percent(equities[0])}`;
    button.setAttribute("aria-label", `${cardName(card)}: player ${player}: ${button.title}`);
  }
  about.textContent = `What player ${player} does after each card, and the EV of player 1.`;
  const sorted = [...found].sort((one, other) => other.gets[0] - one.gets[0]);
  const some = (list) => list.flatMap(({ card, gets }) => [cards(card), ` ${few(gets[0])}  `]);
  about.append(element("br"), "Best for player 1: ", ...some(sorted.slice(0, 4)), element("br"), "Worst: ", ...some(sorted.slice(-4).reverse()));
  const { board } = place.way.at(-1);
  box.append(cardsTable(found, pot(), board));
};

// What the hands that pass the filter do. The mean of what they get is by their weights.
const ofFiltered = (view) => {
  const hands = view.hands.map((_, at) => at).filter((at) => table.passes(view, at));
  const all = hands.reduce((sum, at) => sum + view.weights[at], 0);
  return place.actions.map((action, number) => {
    let [combos, sum] = [0, 0];
    for (const at of hands) {
      const taken = view.weights[at] * view.strategy[number][at];
      combos += taken;
      sum += taken * (view.values[number][at] ?? 0);
    }
    return { ...action, combos, frequency: all > 0 ? combos / all : 0, gets: combos > 1e-6 ? sum / combos : null };
  });
};

// ---- The hands of a cell.
let peeked = null;
const peek = (at) => {
  peeked = at;
  showCell();
};
const choose = (at) => {
  const first = chosen !== at;
  chosen = at;
  for (const cell of grid.children) cell.classList.toggle("chosen", Number(cell.dataset.at) === at);
  showCell();
  showNeedsOfCell();
  if (first && place && !byId("actions").contains(document.activeElement)) showActions();
};
// What the other must do, for the hands of the chosen cell when their player acts.
const showNeedsOfCell = () => {
  if (!place) return;
  const there = chosen !== null && shownPlayer() === acting() && grid.cells?.[chosen].hands.length > 0;
  showNeeds(id, place.line, there ? CELLS[chosen] : null, place.actions.map(({ name }) => name));
};
const showCell = () => {
  const at = peeked ?? chosen;
  if (at === null || !place) return;
  const player = shownPlayer();
  const view = place.hands[player];
  const cell = grid.cells[at];
  byId("cell-name").textContent = CELLS[at];
  byId("cell-about").textContent = cell.combos > 0 ? `${cell.combos.toFixed(2)} combos of ${WHO[player].toLowerCase()}` : `not in the range of ${WHO[player].toLowerCase()}`;
  const box = byId("cell");
  if (!cell.hands.length) {
    box.replaceChildren(element("p", { class: "soft small" }, "No hand of this kind comes here."));
    return;
  }
  const acts = player === acting();
  const kinds = acts ? colours(place.actions) : [];
  const head = element("tr", {}, element("th", {}, "Hand"), acts ? element("th", {}, "Does") : null,
    element("th", { class: "num" }, "EV"), element("th", { class: "num" }, "Equity"), element("th", { class: "num" }, "Weight"));
  const body = element("tbody");
  for (const hand of cell.hands) {
    const row = element("tr", { class: isWanted(view.hands[hand]) ? "mine" : "" }, element("td", {}, cards(view.hands[hand])));
    if (acts) {
      const mix = element("span", { class: "mix" });
      const name = [];
      place.actions.forEach((action, number) => {
        const share = view.strategy[number][hand];
        if (share < 0.0005) return;
        const part = element("span", { class: kinds[number] });
        part.style.width = `${100 * share}%`;
        mix.append(part);
        name.push(`${action.name} ${percent(share, 0)}`);
      });
      row.append(element("td", { class: "does" }, mix, element("span", { class: "small" }, name.join(", "))));
    }
    const gets = view.gets[hand];
    const equity = view.equities[hand];
    row.append(element("td", { class: "num" }, gets === null ? "–" : chips(gets)),
      element("td", { class: "num" }, equity === null ? "–" : percent(equity, 0)),
      element("td", { class: "num" }, percent(view.weights[hand], 0)));
    if (acts) {
      const each = place.actions.map((action, number) => {
        const value = view.values[number][hand];
        return value === null ? null : `${action.name} ${chips(value)}`;
      });
      row.title = `EV by action: ${each.filter(Boolean).join(", ")}`;
    }
    body.append(row);
  }
  box.replaceChildren(element("table", { class: "hands" }, element("thead", {}, head), body));
};

// ---- What the cells show.
const tabs = byId("metrics");
for (const [name, label, about] of METRICS) {
  const tab = element("button", { type: "button", class: "tab", title: about }, label);
  tab.dataset.metric = name;
  tab.setAttribute("role", "radio");
  tab.addEventListener("click", () => setMetric(name));
  tabs.append(tab);
}
// Which two actions are compared, below the tabs while that is shown.
const choices = ["Action", "Action that it is compared with"].map((name, at) => {
  const select = element("select");
  select.setAttribute("aria-label", name);
  select.addEventListener("change", () => {
    pair[at] = select.value;
    showGrids();
  });
  return select;
});
const choice = element("div", { class: "line pair" }, choices[0], "less", choices[1]);
grid.before(choice);
const showPair = () => {
  choice.hidden = metric !== "difference" || place === null || place.actions.length < 2;
  if (choice.hidden) return;
  const known = (word) => place.actions.some((action) => action.word === word);
  if (!pair.every(known)) {
    // The two that are taken most often, the larger one first.
    const sorted = [...place.actions].sort((one, other) => other.frequency - one.frequency);
    pair = place.actions.filter((action) => sorted.indexOf(action) < 2).map(({ word }) => word);
    pair.reverse();
  }
  choices.forEach((select, at) => {
    const options = place.actions.map(({ word, name }) => element("option", { value: word }, name));
    // While it is solved the place comes again and again: an open list stays.
    const same = select.textContent === options.map(({ text }) => text).join("");
    if (!same) select.replaceChildren(...options);
    select.value = pair[at];
  });
};
const showLegend = () => {
  const about = METRICS.find(([known]) => known === metric)[2];
  const differs = metric === "difference";
  const waits = differs && place && shownPlayer() !== acting();
  const colours = differs ? ": green more, red less, in full from a quarter of the pot on" : "";
  byId("legend").textContent = waits ? `${WHO[shownPlayer()]} does not act here.` : about + colours;
};
const setMetric = (name) => {
  metric = name;
  for (const tab of tabs.children) {
    const on = tab.dataset.metric === name;
    tab.setAttribute("aria-checked", on);
    tab.tabIndex = on ? 0 : -1;
  }
  grid.classList.toggle("numbered", !["strategy", "weight"].includes(name));
  showPair();
  showLegend();
  if (place) showGrids();
};
tabs.addEventListener("keydown", (event) => {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const at = METRICS.findIndex(([name]) => name === metric);
  setMetric(METRICS[(at + step + METRICS.length) % METRICS.length][0]);
  [...tabs.children].find((tab) => tab.tabIndex === 0).focus();
});
setMetric(metric);

const show = () => {
  if (large !== null && acting() !== null) large = null;
  showWay();
  showPair();
  showLegend();
  showGrids();
  showActions();
  showCell();
  showNeedsOfCell();
  showTable();
  showEquities(place);
  showSimple(id, solution, place, Number(root.dataset.pot));
  comparison.show(place, shownPlayer());
  const board = cards(place.way.at(-1).board);
  byId("board").replaceChildren(...board.childNodes);
  byId("json").href = `/api/v1/study/solutions/${id}/place?line=${encodeURIComponent(place.line)}`;
};

// ---- How far the solution is.
const STATES = { waiting: "waits", solving: "solving", stopped: "stopped", solved: "solved", failed: "failed" };
let seen = "";
const showState = () => {
  const { state, before, iterations, expected, exploitability, share_of_pot: share, seconds, reason } = solution;
  const words = [STATES[state]];
  if (state === "waiting" && before) words.push(`${before} before it`);
  if (iterations) words.push(`${iterations} iterations in ${seconds.toFixed(seconds < 10 ? 2 : 0)} s`);
  if (reason && reason !== "was stopped") words.push(reason);
  byId("state").textContent = words.join(", ");
  byId("bound-share").textContent = share === null ? "…" : `${percent(share, 2)} of the pot`;
  byId("bound-chips").textContent = exploitability === null ? "" : `${exploitability.toFixed(3)} chips`;
  byId("stop").hidden = !["waiting", "solving"].includes(state);
  byId("resume").hidden = state !== "stopped";
  byId("progress").hidden = state !== "solving";
  byId("bar").value = Math.min(1, iterations / Math.max(1, expected));
  byId("change").href = changeAddress();
};
const changeAddress = () => {
  const { board, pot: chipsInPot, stacks, ranges, menu, second_menu: second, precision } = solution.parameters;
  const words = new URLSearchParams({ board, pot: chipsInPot, precision, until: solution.until });
  stacks.forEach((stack) => words.append("stack", stack));
  ranges.forEach((range) => words.append("range", range));
  const later = (text) => text.split("\n").filter((line) => line && !line.startsWith("preflop")).join("; ");
  words.append("menu", later(menu));
  if (second) words.append("menu", later(second));
  return `/study?${words}`;
};

let failures = 0;
async function watch() {
  try {
    solution = await ask("GET", `/solutions/${id}`);
    failures = 0;
  } catch (error) {
    failures += 1;
    if (error.code === 404 || failures > 5) {
      complain(error.message);
      return;
    }
    setTimeout(watch, 1000 * failures);
    return;
  }
  showState();
  const open = ["waiting", "solving"].includes(solution.state);
  const working = solution.iterations > 0 && await showRiver(id, solution, Number(root.dataset.pot), watch, showNeedsOfCell);
  const now = `${solution.iterations} ${open}`;
  if (now !== seen && (solution.iterations > 0 || !open)) {
    seen = now;
    await load(currentLine());
    if (!open) {
      showLocks(byId("locks"), solution, complain);
      await comparison.offer(solution);
    }
  }
  if (open) setTimeout(watch, solution.seconds < 2 && !working ? 100 : 1000);
}
for (const action of ["stop", "resume"]) {
  byId(action).addEventListener("click", async () => {
    try {
      solution = await ask("PUT", `/solutions/${id}/${action}`);
      showState();
      watch();
    } catch (error) {
      complain(error.message);
    }
  });
}
// ---- Its name.
const called = byId("name");
called.addEventListener("input", () => { byId("name-keep").disabled = called.value.trim() === (solution?.name ?? called.defaultValue); });
byId("naming").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    solution = await ask("POST", `/solutions/${id}/name`, { name: called.value });
    called.value = solution.name;
    byId("name-keep").disabled = true;
    complain("");
  } catch (error) {
    complain(error.message);
  }
});
byId("forget").addEventListener("click", async () => {
  try {
    await ask("PUT", `/solutions/${id}/forget`);
    location.href = "/study";
  } catch (error) {
    complain(error.message);
  }
});

// Keys are taken one after another: each is about the place that the one before led to.
let keys = Promise.resolve();
const press = (key) => {
  if (!place) return undefined;
  const step = place.way.at(-1);
  if (key === "Backspace") return place.way.length > 1 ? go(place.way.at(-2).line) : undefined;
  if (key === "m") {
    const at = METRICS.findIndex(([name]) => name === metric);
    setMetric(METRICS[(at + 1) % METRICS.length][0]);
  } else if (key === "o") {
    swapPlayers();
  } else if (step.next === "action") {
    const option = step.options[Number(key) - 1];
    if (option) return go([step.line, option.word].filter(Boolean).join(" "));
  }
  return undefined;
};
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || /** @type {Element} */ (event.target).closest("input, textarea, select")) return;
  if (!/^([1-9mo]|Backspace)$/.test(event.key)) return;
  event.preventDefault();
  keys = keys.then(() => press(event.key));
});

watch();
