// Cards, decks of them, and the grid of starting hands, of the pages that study and train.

import { element } from "./page.js";

export const RANKS = "AKQJT98765432";
export const SUITS = "shdc";
const SIGNS = { s: "♠", h: "♥", d: "♦", c: "♣" };
const SUIT_NAMES = { s: "spades", h: "hearts", d: "diamonds", c: "clubs" };

// The 169 cells, row by row: pairs on the diagonal, suited hands above it.
export const CELLS = [...RANKS].flatMap((high, row) => [...RANKS].map((low, column) => {
  if (row === column) return high + low;
  return row < column ? `${high}${low}s` : `${low}${high}o`;
}));

// The cell of a hand such as AhKd, whose first card is the higher.
export const cellOf = (hand) => {
  const [a, b] = [RANKS.indexOf(hand[0]), RANKS.indexOf(hand[2])];
  const [high, low] = a < b ? [a, b] : [b, a];
  return hand[1] === hand[3] ? 13 * high + low : 13 * low + high;
};

// Hands with a weight, as ranges are written.
export const rangeItem = (name, weight) => (weight === 1 ? name : `${name}:${weight}`);

// The picture of a cell for a number that may be below 0: red below, green above, and the ground's
// colour at 0; the whole colour from `full` on.
export const tint = (number, full) => {
  const strength = Math.round(100 * Math.min(1, Math.abs(number) / full));
  const colour = `var(${number < 0 ? "--loss" : "--high"})`;
  return `linear-gradient(color-mix(in srgb, ${colour} ${strength}%, var(--empty)) 0 100%)`;
};

// Cards as text: Kd becomes K♦ in the colour of its suit.
export const cards = (text) => {
  const shown = element("span", { class: "cards" });
  for (let at = 0; at + 1 < text.length; at += 2) {
    const [rank, suit] = [text[at], text[at + 1]];
    shown.append(element("span", { class: suit }, rank + SIGNS[suit]));
  }
  return shown;
};
export const cardName = (card) => `${card[0]} of ${SUIT_NAMES[card[1]]}`;

// A deck of buttons, a row for each suit. `choose` gets the card.
export const deck = (place, choose) => {
  place.replaceChildren();
  for (const suit of SUITS) {
    for (const rank of RANKS) {
      const card = rank + suit;
      const button = element("button", { type: "button", class: `pick ${suit}`, tabIndex: -1 }, rank + SIGNS[suit]);
      button.dataset.card = card;
      button.setAttribute("aria-label", cardName(card));
      button.addEventListener("click", () => choose(card));
      place.append(button);
    }
  }
  roving(place, 13);
};

// One stop of the Tab key for all buttons of a grid, and arrow keys within.
export const roving = (place, columns) => {
  const all = () => [...place.children];
  const first = all().find((one) => !one.disabled) ?? all()[0];
  if (first) first.tabIndex = 0;
  place.addEventListener("focusin", (event) => {
    if (event.target === place) return;
    for (const one of all()) one.tabIndex = one === event.target ? 0 : -1;
  });
  place.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns };
    const step = steps[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    const list = all();
    let at = list.indexOf(document.activeElement);
    if (at < 0) return;
    const edge = Math.abs(step) === 1 ? Math.floor(at / columns) : null;
    do {
      at += step;
      if (at < 0 || at >= list.length || (edge !== null && Math.floor(at / columns) !== edge)) return;
    } while (list[at].disabled);
    event.preventDefault();
    list[at].focus();
  });
};
