// The price of simplicity: what strategies cost that are easier to remember, as a curve and a table;
// and that of the decision that is shown, on request.

import { ask, byId, element, percent } from "./page.js";

const numbers = ({ exploited, unnoticed, remember }, pot) => [String(remember), exploited.toFixed(3), percent(exploited / pot, 2), unnoticed.toFixed(3)];
const priceTable = (strategies, pot) => {
  const head = ["Strategy", "to remember", "gives away", "of the pot", "unnoticed"].map((text, at) => element("th", at ? { class: "num" } : {}, text));
  const rows = strategies.map((simple) => element("tr", { title: simple.proven ? "no strategy of this kind costs less" : "the best that was found" },
    element("td", {}, simple.name), ...numbers(simple, pot).map((text) => element("td", { class: "num" }, text))));
  return element("div", { class: "wide" }, element("table", { class: "hands" }, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows)));
};

// The curve, the table, and each tree in words.
export const pricesOf = (curve, strategies, pot) => {
  const picture = element("div", { class: "curve" });
  // The server's own picture.
  picture.innerHTML = curve;
  const trees = strategies.filter(({ lines }) => lines.length > 1).map(({ name, lines }) => element("details", {}, element("summary", {}, name), element("ul", { class: "small" }, ...lines.map((line) => element("li", {}, line)))));
  return [picture, priceTable(strategies, pot), ...trees];
};

let shown = null;
// The section for the decision of a place; hidden where nobody acts.
export const showSimple = (id, solution, place, pot) => {
  const section = byId("simple");
  const box = byId("simple-body");
  section.hidden = !place.actions.length || solution.state === "failed";
  const now = `${solution.iterations} ${place.line}`;
  if (section.hidden || now === shown) return;
  shown = now;
  const button = element("button", { type: "button", class: "plain", id: "simplify" }, "What does playing it more simply cost?");
  button.addEventListener("click", async () => {
    button.disabled = true;
    button.textContent = "Working out …";
    try {
      const found = await ask("GET", `/solutions/${id}/simplicity?line=${encodeURIComponent(place.line)}`);
      if (now !== shown) return;
      const rest = found.complete ? "" : " The time of a request was over before all kinds were tried; cardroom solve simple tries all of them.";
      box.replaceChildren(element("div", { class: "curves" }, element("div", { class: "player-part" }, ...pricesOf(found.curve, found.strategies, pot))),
        element("p", { class: "small soft" }, `Given away: what a best response takes beyond what it takes from the solution, in chips of the whole spot, when this decision alone is played so and everything else as solved; unnoticed: what is lost while the other player goes on as solved. To remember: each question, and each action of a hand or of a leaf.${rest}`));
    } catch (error) {
      if (now === shown) box.replaceChildren(element("p", { class: "wrong", role: "alert" }, error.message));
    }
  });
  box.replaceChildren(button);
};
