// Asks decisions and says what each answer costs. The questions and all prices are
// the server's; how somebody does is kept in the browser.

import { ask, byId, element, keep, kept, percent } from "./page.js";
import { cards } from "./study-grid.js";

const GRADES = ["best", "correct", "inaccuracy", "mistake", "blunder"];
const MOST_KEPT = 1000;
const WINDOW = 10;
const UNITS = { chips: "chips", bb: "big blinds", pots: "pots" };

const form = byId("choose");
const wrong = byId("wrong");
// The exercise that is shown, and whether it was answered.
let exercise = null;
let answered = false;
// What the exercise was asked with.
let now = null;
// The board of the first question of a hand, for those who train one street.
let firstBoard = "";
// Only the last answer of the server counts.
let latest = null;

const chosen = () => form.elements.what.value;
const decimals = () => (exercise.unit === "chips" ? 2 : 3);
const amount = (number) => `${number.toFixed(decimals())} ${UNITS[exercise.unit]}`;

// ---- Asking.
// What each kind of exercise is asked with: the names of the query, and where they are chosen.
const CHOICES = {
  "shove-or-fold": { stack: "stack" },
  "last-bet": {},
  spot: { player: "player", from: "from" },
  rules: { list: "list", street: "street" },
  hand: { agent: "agent", position: "position", stack: "hand-stack" },
  match: { player: "match-player", agent: "by", of: "of" },
};
// Those that are of something with a name: where it is chosen, and the path of its exercise.
const NAMED = {
  spot: { place: "spot", path: (id) => `/api/v1/study/solutions/${id}/exercise` },
  match: { place: "match", path: (id) => `/api/v1/matches/${encodeURIComponent(id)}/exercise` },
};
// Those that go on: how long is chosen there.
const LENGTHS = { spot: "length", hand: "hand-length" };

const query = (line) => {
  const words = new URLSearchParams({ seed: now.seed, ...now.query });
  if (line) words.set("line", line);
  return words;
};
const path = (line) => `${NAMED[now.what]?.path(now.id) ?? `/api/v1/exercises/${now.what}`}?${query(line)}`;

async function load(line) {
  const mine = latest = {};
  byId("next").disabled = true;
  try {
    const found = await ask("GET", path(line));
    if (mine !== latest) return;
    wrong.hidden = true;
    exercise = found;
    show(line === "");
  } catch (error) {
    if (mine !== latest) return;
    wrong.textContent = error.message;
    wrong.hidden = false;
  }
  byId("next").disabled = false;
}

const start = (seed) => {
  const what = chosen();
  now = { what, seed: seed ?? Math.floor(Math.random() * 2 ** 48), query: {} };
  for (const [name, place] of Object.entries(CHOICES[what])) {
    const value = byId(place).value.trim();
    if (value) now.query[name] = name === "stack" ? value.replace(",", ".") : value;
  }
  if (NAMED[what]) now.id = byId(NAMED[what].place).value;
  if (LENGTHS[what]) now.length = byId(LENGTHS[what]).value;
  const words = new URLSearchParams({ what });
  if (now.id) words.set("id", now.id);
  if (now.length) words.set("length", now.length);
  for (const [name, value] of query("")) words.set(name, value);
  history.replaceState(null, "", `?${words}`);
  words.delete("length");
  byId("sheet").href = `/train/sheet?${words}`;
  return load("");
};

// ---- The question.
const WHO = ["Player 1", "Player 2"];
const suits = (place, text, name) => {
  place.replaceChildren(cards(text));
  place.hidden = !text;
  place.setAttribute("aria-label", `${name}: ${text}`);
};

const show = (first) => {
  answered = false;
  if (first) firstBoard = exercise.board;
  byId("question").hidden = false;
  byId("about").textContent = exercise.about;
  suits(byId("board"), exercise.board, "Board");
  suits(byId("own"), exercise.cards, "Your cards");
  if (exercise.card !== null) {
    byId("own").hidden = false;
    byId("own").replaceChildren(element("span", { class: "number" }, String(exercise.card)));
    byId("own").setAttribute("aria-label", `Your card: ${exercise.card}`);
  }
  showShares();
  byId("steps").replaceChildren(...exercise.steps.map(({ player, word, name }) => {
    if (player === null) return element("li", { class: "dealt" }, cards(word));
    const who = player === exercise.player ? "you" : exercise.other ?? WHO[player - 1];
    return element("li", {}, element("span", { class: "soft" }, `${who} `), name);
  }));
  byId("steps").hidden = exercise.steps.length === 0;
  byId("answers").replaceChildren(...exercise.answers.map(({ name }, at) => {
    const button = element("button", { type: "button" }, name, " ", element("kbd", {}, String(at + 1)));
    button.addEventListener("click", () => answer(at));
    return button;
  }));
  byId("random").textContent = exercise.random;
  byId("random-line").hidden = exercise.answers.length === 0;
  byId("verdict").replaceChildren();
  byId("priced").hidden = true;
  byId("next").hidden = true;
  byId("study-link").hidden = now.what !== "spot";
  const line = [now.query.from, exercise.line].filter(Boolean).join(" ");
  byId("study-link").href = `/study/${now.id}?line=${encodeURIComponent(line)}`;
  byId("hand-link").hidden = true;
  if (exercise.end) showEnd();
  else byId("about").focus({ preventScroll: true });
};

// The shares of both players' cards as bars, in the game of ten cards.
const showShares = () => {
  const place = byId("shares");
  place.replaceChildren();
  if (!exercise.shares) return;
  const most = Math.max(...exercise.shares.flat());
  for (const player of [exercise.player - 1, 2 - exercise.player]) {
    const shares = exercise.shares[player];
    const yours = player === exercise.player - 1;
    const rows = shares.map((share, at) => {
      const bar = svg("svg", { viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
        svg("rect", { class: "part", width: String((100 * share) / most), height: "8" }));
      const row = element("li", { class: yours && at + 1 === exercise.card ? "held" : "" },
        element("b", {}, String(at + 1)), bar, element("span", {}, percent(share, 0)));
      return row;
    });
    place.append(element("div", {}, element("h3", {}, yours ? "Your cards" : "The other’s"), element("ol", {}, ...rows.reverse())));
  }
};

const svg = (tag, attributes, ...children) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
};

// ---- The answer.
const words = { best: "Best", correct: "Correct", inaccuracy: "Inaccuracy", mistake: "Mistake", blunder: "Blunder" };

const answer = (at) => {
  if (answered || !exercise?.answers[at]) return;
  answered = true;
  const own = exercise.answers[at];
  for (const [number, button] of [...byId("answers").children].entries()) {
    button.disabled = true;
    button.classList.toggle("taken", number === at);
  }
  const share = own.price / exercise.pot;
  const teller = { rules: "exactly counted", hand: `as far as the play of ${now.query.agent} tells`, match: `as far as the play of ${now.query.agent} tells` };
  // Where the price begins at 0 by its interval, another answer may be worth no more.
  const uncertain = isNothing(own.least) ? ": it is not certain to be a mistake" : "";
  const costs = own.grade === "best" && isNothing(own.price)
    ? `No other answer is worth more here, ${teller[now.what] ?? "as far as this solution tells"}.`
    : `It costs ${amount(own.price)}, ${percent(share)} of the pot${interval(own)}${uncertain}.`;
  const wide = (own.most - own.least) / exercise.pot > 0.03;
  const unsure = wide && now.what === "spot" ? " The solution is not fine enough to say it closer: solve it further in Study." : "";
  byId("verdict").replaceChildren(
    element("strong", { class: `grade ${own.grade}` }, words[own.grade]), ` ${costs}${unsure} `,
    element("span", { class: "soft" }, byNumber()),
  );
  if (exercise.rule !== null) byId("verdict").append(element("p", { class: "said" }, "The list says: ", element("code", {}, exercise.rule)));
  if (exercise.played !== null) {
    const then = exercise.answers[exercise.played];
    const same = exercise.played === at ? "the same" : `${then.name}, which costs ${amount(then.price)}${interval(then)}`;
    byId("verdict").append(element("p", { class: "said" }, `When the hand was played it was ${same}.`));
    byId("hand-link").hidden = false;
    byId("hand-link").href = exercise.hand;
  }
  byId("priced").replaceChildren(priced(at));
  byId("priced").hidden = false;
  byId("next").hidden = false;
  byId("next").firstChild.data = goesOn() ? "Go on " : "Next ";
  byId("next").focus({ preventScroll: true });
  record({ what: now.what, grade: own.grade, share, text: `${own.name}: ${amount(own.price)}`, to: location.search });
  showSession();
};

// Whether an amount is shown as 0.
const isNothing = (number) => number < 0.5 * 10 ** -decimals();
const interval = ({ least, most }) =>
  (isNothing(most - least) ? "" : `, between ${least.toFixed(decimals())} and ${most.toFixed(decimals())}`);

// Whose play the shares are.
const player = () => ({ rules: "the list", hand: now.query.agent, match: now.query.agent })[now.what] ?? "the solution";

// What it does with the number that was drawn.
const byNumber = () => {
  let below = 0;
  for (const { share, name } of exercise.answers) {
    below += 100 * share;
    if (exercise.random <= below + 1e-9) return share > 0.995 ? "" : `By your number ${player()} would ${name}.`;
  }
  return "";
};

const heading = { "the solution": "Solution", "the list": "List" };

const priced = (at) => {
  const head = element("tr", {}, ...["Answer", heading[player()] ?? player(), "Wins", "Costs", "Between"].map((name, column) =>
    element("th", { scope: "col", class: column > 1 ? "num" : "" }, name)));
  const rows = exercise.answers.map((answer, number) => {
    const bar = svg("svg", { viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("rect", { class: "whole", width: "100", height: "8", rx: "1" }),
      svg("rect", { class: "part", width: String(100 * answer.share), height: "8", rx: "1" }));
    const number_ = (value) => element("td", { class: "num" }, value.toFixed(decimals()));
    return element("tr", { class: number === at ? "taken" : "" },
      element("td", { class: "nowrap" }, answer.name, number === at ? element("span", { class: "sr" }, ", your answer") : ""),
      element("td", { class: "mix" }, bar, element("span", {}, percent(answer.share, 0))),
      number_(answer.value), number_(answer.price),
      element("td", { class: "num soft" }, `${answer.least.toFixed(decimals())} – ${answer.most.toFixed(decimals())}`));
  });
  const caption = element("caption", { class: "small soft" }, `In ${UNITS[exercise.unit]}`);
  return element("table", {}, caption, element("thead", {}, head), element("tbody", {}, ...rows));
};

const goesOn = () => now.length !== undefined && now.length !== "one" && !exercise.end;
const line = (at) => [exercise.line, exercise.answers[at].word].filter(Boolean).join(" ");
const taken = () => [...byId("answers").children].findIndex((button) => button.classList.contains("taken"));

const next = async () => {
  if (byId("next").disabled) return;
  if (!goesOn()) return start();
  await load(line(taken()));
  // One street is over when another begins.
  if (now.length === "street" && exercise.board !== firstBoard && !exercise.end) return start();
};

const showEnd = () => {
  const { won, showdown, cards: held } = exercise.end;
  const other = element("span", {}, "The other has ", cards(held[2 - exercise.player]), ". ");
  const sum = won > 0 ? `You win ${amount(won)}${now.what === "spot" ? " of the pot" : ""}.` : won < 0 ? `You lose ${amount(-won)}.` : "You win nothing, and lose nothing.";
  byId("verdict").replaceChildren(showdown ? other : "", element("b", {}, sum));
  byId("next").hidden = false;
  byId("next").firstChild.data = "Next hand ";
  byId("next").focus({ preventScroll: true });
};

// ---- How somebody does.
const read = () => {
  try {
    const all = JSON.parse(kept("trained") ?? "[]");
    return Array.isArray(all) ? all : [];
  } catch {
    return [];
  }
};
const record = (one) => keep("trained", JSON.stringify([...read(), one].slice(-MOST_KEPT)));

const showSession = () => {
  const all = read();
  byId("forget").hidden = all.length === 0;
  for (const item of byId("grades").children) {
    const count = all.filter(({ grade }) => grade === item.dataset.grade).length;
    item.querySelector(".count").textContent = count;
    item.querySelector(".part").setAttribute("width", String(all.length ? (100 * count) / all.length : 0));
  }
  const mean = (some) => some.reduce((sum, { share }) => sum + share, 0) / some.length;
  const last = all.slice(-WINDOW);
  byId("so-far").textContent = all.length === 0 ? "Nothing answered yet."
    : `${all.length} ${all.length === 1 ? "answer costs" : "answers cost"} ${percent(mean(all), 2)} of the pot on average`
      + (all.length > WINDOW ? `, the last ${WINDOW} ${percent(mean(last), 2)}.` : ".");
  const windows = [];
  for (let end = all.length; end >= WINDOW; end -= WINDOW) windows.unshift(mean(all.slice(end - WINDOW, end)));
  showTrend(windows.slice(-40));
  const dear = all.slice(-100).map((one, at) => ({ ...one, at })).filter(({ grade }) => GRADES.indexOf(grade) > 1);
  dear.sort((a, b) => b.share - a.share);
  byId("dear").hidden = dear.length === 0;
  byId("dear").querySelector("ol").replaceChildren(...dear.slice(0, 5).map(({ text, to, share, grade }) =>
    element("li", {}, element("a", { href: `/train${to}` }, text), " ", element("span", { class: `grade ${grade}` }, percent(share)))));
};

const showTrend = (means) => {
  const place = byId("trend");
  place.hidden = means.length < 2;
  place.querySelector("svg")?.remove();
  if (place.hidden) return;
  const top = Math.max(...means, 0.01);
  const [width, height] = [300, 90];
  const at = (mean, number) => `${((number * width) / (means.length - 1)).toFixed(1)},${(height - (mean / top) * height).toFixed(1)}`;
  const drawn = svg("svg", { viewBox: `-4 -14 ${width + 8} ${height + 20}`, role: "img",
    "aria-label": `from ${percent(means[0], 2)} to ${percent(means.at(-1), 2)} of the pot` },
  svg("line", { class: "axis", x1: "0", x2: String(width), y1: String(height), y2: String(height) }),
  svg("polyline", { class: "won", points: means.map(at).join(" ") }),
  svg("text", { x: "0", y: "-3" }, `${(100 * top).toFixed(1)} %`));
  place.prepend(drawn);
};

// ---- Choosing, keys, and what an address asks for.
const showOptions = () => {
  for (const options of form.querySelectorAll("[data-for]")) options.hidden = options.dataset.for !== chosen();
};
const showPlayers = () => {
  const players = JSON.parse(byId("match").selectedOptions[0]?.dataset.players ?? "[]");
  byId("match-player").replaceChildren(...players.map((name) => element("option", {}, name)));
};
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("change", (event) => {
  showOptions();
  if (event.target === byId("match")) showPlayers();
  start();
});
byId("next").addEventListener("click", next);
byId("forget").addEventListener("click", () => {
  keep("trained", "[]");
  showSession();
});
document.addEventListener("keydown", (event) => {
  const target = /** @type {Element} */ (event.target);
  if (event.altKey || event.ctrlKey || event.metaKey || target.matches("input, select, textarea")) return;
  const number = Number(event.key);
  if (number >= 1 && number <= exercise?.answers.length && !answered) {
    event.preventDefault();
    answer(number - 1);
  } else if (event.key === "Enter" && !byId("next").hidden && !target.matches("a, button")) {
    event.preventDefault();
    next();
  }
});

const asked = new URLSearchParams(location.search);
if (asked.has("what")) {
  const radio = [...form.elements.what].find(({ value, disabled }) => value === asked.get("what") && !disabled);
  if (radio) radio.checked = true;
  const what = chosen();
  const fill = (place, name) => {
    if (asked.has(name)) byId(place).value = asked.get(name);
  };
  if (NAMED[what]) fill(NAMED[what].place, "id");
  showPlayers();
  for (const [name, place] of Object.entries(CHOICES[what])) fill(place, name);
  if (LENGTHS[what]) fill(LENGTHS[what], "length");
} else {
  showPlayers();
}
showOptions();
showSession();
const seed = Number(asked.get("seed") ?? NaN);
start(Number.isSafeInteger(seed) && seed >= 0 ? seed : undefined);
