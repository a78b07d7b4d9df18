// What a river leaves open: for the chosen hands what the other player must do and how often all
// equilibria take each action; and what simple strategies cost, worked out on request.

import { ask, byId, element, percent } from "./page.js";
import { cards } from "./study-grid.js";
import { pricesOf } from "./study-simple.js";

// ---- The chosen hands.
const range = ({ least, most, forced }) => (forced ? percent((least + most) / 2, 1) : `${(100 * least).toFixed(1)} to ${percent(most, 1)}`);
const STANDINGS = {
  "not-played": "In no equilibrium does it get here.",
  "not-met": "In no equilibrium does the other player lead here.",
};
const openness = (hand, names) => {
  if (hand.standing === null) return null;
  if (STANDINGS[hand.standing]) return STANDINGS[hand.standing];
  if (hand.intervals.every((interval) => interval === null)) {
    // An action that loses nothing is taken in some equilibrium.
    const taken = names.filter((_, at) => hand.loses[at] < 1e-4);
    return `In equilibria it may ${taken.join(" or ")}.`;
  }
  const played = hand.intervals.map((interval, at) => [names[at], interval]).filter(([, interval]) => interval && interval.most > 0.0005);
  const words = played.map(([name, interval]) => `${name} ${range(interval)}`).join(", ");
  const free = hand.intervals.some((interval) => interval && !interval.forced);
  return hand.standing === "always" ? `All equilibria: ${words}.` : free ? `Anything is as good in: ${words}.` : `Forced: ${words}.`;
};
const lineTable = (hand) => {
  const classes = hand.line.filter(({ beaten, tied, better, elsewhere }) => beaten + tied + better + elsewhere > 0.05);
  if (!classes.length || !hand.needs.some(({ of }) => of === "wins")) return null;
  const cell = (number) => element("td", { class: "num" }, number > 0.05 ? number.toFixed(1) : "");
  const rows = classes.map(({ name, beaten, tied, better, elsewhere }) => element("tr", {}, element("td", {}, name), cell(beaten), cell(better), cell(tied), cell(elsewhere)));
  const head = ["His line", "beaten", "better", "tied", "beaten elsewhere"].map((text, at) => element("th", at ? { class: "num" } : {}, text));
  return element("div", { class: "wide" }, element("table", { class: "hands small" }, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows)));
};

// Whether a hand mixes, and how often over all equilibria is not worked out.
const isOpen = (hand) => hand.standing === "mixes" && hand.intervals.every((interval) => interval === null);

// Has the intervals of a hand worked out. What takes longer than a request goes on in the server:
// it is asked again, while somebody still wants to know.
const workOut = async (path, wanted) => {
  for (let asked = 1; wanted(); asked += 1) {
    try {
      await ask("GET", path);
      return;
    } catch (error) {
      if (error.code !== 503 || asked === 60) throw error;
      await new Promise((again) => setTimeout(again, 2000));
    }
  }
};

let latest = null;
let timer = null;
// Asks for what a cell's hands need, a moment after the last choice.
export const showNeeds = (id, line, hands, names, ends = "") => {
  const box = byId("needs");
  const now = latest = {};
  clearTimeout(timer);
  if (!hands) {
    box.replaceChildren();
    return;
  }
  timer = setTimeout(async () => {
    try {
      const path = `/solutions/${id}/hands?line=${encodeURIComponent(line)}`;
      if (ends) await workOut(`${path}&hands=${encodeURIComponent(ends)}&ends=true`, () => now === latest);
      const found = await ask("GET", `${path}&hands=${encodeURIComponent(hands)}`);
      if (now !== latest) return;
      const blocks = found.hands.map((hand, at) => {
        const open = openness(hand, names);
        const lines = hand.needs.map(({ words }) => element("li", {}, words));
        if (!open && !lines.length) return null;
        const more = element("button", { type: "button", class: "plain small how-often" }, "How often?");
        more.addEventListener("click", () => {
          more.disabled = true;
          more.textContent = "Working out …";
          showNeeds(id, line, hands, names, hand.hand);
        });
        const list = element("ul", { class: "needs small" }, ...(open ? [element("li", { class: "over" }, open, isOpen(hand) ? " " : "", isOpen(hand) ? more : "")] : []), ...lines);
        return element("details", { open: ends ? hand.hand === ends : at === 0 }, element("summary", {}, cards(hand.hand), element("span", { class: "small soft" }, " what he must do")), list, lineTable(hand) ?? "");
      });
      const shares = found.range.map((interval, at) => interval && `${names[at]} ${range(interval)}`).filter(Boolean);
      if (shares.length) blocks.unshift(element("p", { class: "small" }, `The whole range, over all equilibria: ${shares.join(", ")}.`));
      box.replaceChildren(...blocks.filter(Boolean));
    } catch (error) {
      if (now === latest) box.replaceChildren(ends ? element("p", { class: "wrong small", role: "alert" }, error.message) : "");
    }
  }, 60);
};

// ---- What was worked out.
const draw = (box, found, pot) => {
  const { equilibria: all, simplicity } = found;
  const about = `${all.reached} times a hand comes to a decision: ${all.always} times all equilibria do the same, ${all.mixed} times they mix. Choose a hand above to see between what. Found to ${all.gap.toExponential(1)} of the pot.`;
  const parts = simplicity.map(({ player, curve, strategies }) => {
    return element("div", { class: "player-part" }, element("h3", {}, `Player ${player}`), ...pricesOf(curve, strategies, pot));
  });
  box.replaceChildren(element("p", { class: "small" }, about), element("div", { class: "curves" }, ...parts),
    element("p", { class: "small soft" }, "Given away: what a best response takes beyond the value of the game, in chips; unnoticed: what is lost while the other player goes on with the equilibrium. To remember: each question, and each action of a hand (or of a leaf) at each decision that it gets to."));
};

// The section; `watch` follows the work, `changed` is called when it is done. Returns whether it is being worked out.
export const showRiver = async (id, solution, pot, watch, changed) => {
  const section = byId("river");
  const board = solution.parameters.board;
  section.hidden = board.length !== 10 || solution.locks.length > 0 || solution.state === "failed";
  if (section.hidden) return false;
  const box = byId("river-body");
  let found;
  try {
    found = await ask("GET", `/solutions/${id}/river`);
  } catch {
    return false;
  }
  if (found.state === "found") {
    if (!box.querySelector(".curves")) {
      draw(box, found, pot);
      changed();
    }
    return false;
  }
  if (found.state === "asked") {
    const bar = element("progress", { max: Math.max(1, found.all), value: found.done });
    bar.setAttribute("aria-label", "Working out");
    box.replaceChildren(element("p", { class: "small soft" }, "Working out … ", bar));
    return true;
  }
  // A button that is there already stays, for whoever is pressing it.
  if (byId("analyse") && !found.reason) return false;
  const button = element("button", { type: "button", class: "plain", id: "analyse" }, "Work it out");
  // How many stay open is known only when it is tried; those beyond the solver's limit are refused then.
  const { cells } = solution.size;
  const large = cells > 12000 ? ` This river has ${cells.toLocaleString("en")} pairs of hand and action, of which at most 4,000 may stay open in equilibrium: fewer hands or bets make that likelier.` : "";
  const why = found.reason ? `It could not be worked out: ${found.reason}.` : `Which of these frequencies are the same in all equilibria, and what a strategy costs that is easier to remember. This may take some minutes.${large}`;
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      await ask("PUT", `/solutions/${id}/analyse`);
      watch();
    } catch (error) {
      box.append(element("p", { class: "wrong" }, error.message));
    }
  });
  box.replaceChildren(element("p", { class: "small" }, why), button);
  return false;
};
