// The equities of both ranges at a place, from the weakest hand to the strongest: who has the better
// range, and who has the strongest hands.

import { byId, percent } from "./page.js";

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [640, 300, 52, 40, 12];
const NAMES = ["player 1", "player 2"];

const shape = (tag, attributes, text = "") => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.textContent = text;
  return made;
};
const across = (share) => LEFT + share * (WIDTH - LEFT - 12);
const up = (equity) => HEIGHT - BOTTOM - equity * (HEIGHT - BOTTOM - TOP);

// The corners of a range's curve: each hand is as wide as its share of the range.
export const curve = ({ weights, equities }) => {
  const hands = equities.map((equity, at) => [equity, weights[at]]).filter(([equity, weight]) => equity !== null && weight > 0);
  hands.sort(([one], [other]) => one - other);
  const all = hands.reduce((sum, [, weight]) => sum + weight, 0);
  let from = 0;
  return hands.flatMap(([equity, weight]) => {
    const left = from;
    from += weight / all;
    return [[left, equity], [from, equity]];
  });
};

export const showEquities = (place) => {
  // Where a player never comes there is no equity.
  const missing = place.hands.findIndex(({ weights }) => weights.every((weight) => weight === 0));
  if (missing >= 0) {
    byId("equities-key").textContent = `${NAMES[missing]} does not come here`;
    byId("equities-curve").replaceChildren();
    return;
  }
  const svg = shape("svg", { class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "font-size": 13 });
  for (const part of [0, 0.25, 0.5, 0.75, 1]) {
    svg.append(shape("line", { class: "grid", stroke: "currentColor", x1: LEFT, x2: WIDTH - 12, y1: up(part), y2: up(part) }),
      shape("text", { x: LEFT - 8, y: up(part) + 4, "text-anchor": "end", fill: "currentColor" }, `${100 * part} %`),
      shape("text", { x: across(part), y: HEIGHT - BOTTOM + 20, "text-anchor": part === 1 ? "end" : "middle", fill: "currentColor" }, part === 0 ? "weakest" : part === 1 ? "strongest" : ""));
  }
  place.hands.forEach((view, player) => {
    const points = curve(view).map(([share, equity]) => `${across(share).toFixed(1)},${up(equity).toFixed(1)}`);
    svg.append(shape("polyline", { class: player === 0 ? "first" : "second", points: points.join(" "), fill: "none", stroke: "currentColor", "stroke-width": 2.5, "stroke-dasharray": player === 0 ? "none" : "7 5" }));
  });
  const words = place.equities.map((equity, player) => `${NAMES[player]} ${percent(equity)}`).join(", ");
  svg.setAttribute("aria-label", `Equity of the hands from the weakest to the strongest; on average ${words}`);
  const key = place.equities.map((equity, player) => {
    const entry = document.createElement("span");
    entry.className = player === 0 ? "first" : "second";
    entry.textContent = `${NAMES[player]}, on average ${percent(equity)}`;
    return entry;
  });
  byId("equities-key").replaceChildren(...key);
  byId("equities-curve").replaceChildren(svg);
};
