// Locks: a form that gives the hands of a decision a strategy and has the spot solved again, and what
// is locked in a solution.

import { ask, element, percent } from "./page.js";
import { cards } from "./study-grid.js";

// The solution as an order, with these locks.
const order = (solution, locks) => {
  const { board, pot, stacks, ranges, menu, second_menu: second, smallest_bet, precision } = solution.parameters;
  return {
    board, pot, stacks, ranges, smallest_bet, precision, locks,
    menus: second ? [menu, second] : [menu],
    until: String(solution.until),
    iterations: solution.most,
  };
};

const solveWith = async (solution, locks, line, complain) => {
  try {
    const made = await ask("POST", "/solutions", order(solution, locks));
    location.href = `/study/${made.id}${line ? `?line=${encodeURIComponent(line)}` : ""}`;
  } catch (error) {
    complain(error.message);
  }
};

// The form for a decision. `scopes` are names with the hands of each as a range.
export const lockForm = ({ solution, line, actions, scopes, complain }) => {
  const details = element("details", { class: "lock" }, element("summary", {}, "Lock this decision"));
  const inputs = actions.map((action) => {
    const input = element("input", { type: "number", min: 0, max: 100, step: "any", value: (100 * action.frequency).toFixed(0) });
    input.setAttribute("aria-label", `Percent that ${action.name}`);
    return input;
  });
  // The last action takes what is left by rounding.
  const others = inputs.slice(0, -1).reduce((sum, input) => sum + Number(input.value), 0);
  if (inputs.length) inputs.at(-1).value = Math.max(0, 100 - others);
  const scope = element("select", {}, ...scopes.map(([name], at) => element("option", { value: at }, name)));
  scope.setAttribute("aria-label", "Hands to lock");
  const solve = element("button", { type: "button", class: "plain" }, "Solve with this lock");
  const sum = element("span", { class: "small soft" });
  const add = () => {
    const total = inputs.reduce((all, input) => all + Number(input.value), 0);
    const right = Math.abs(total - 100) < 0.05 && inputs.every((input) => Number(input.value) >= 0);
    sum.textContent = right ? "" : `together ${total.toFixed(1)} %, not 100 %`;
    solve.disabled = !right;
  };
  inputs.forEach((input) => input.addEventListener("input", add));
  add();
  solve.addEventListener("click", () => {
    const strategy = actions.map((action, at) => [action.word, Number(inputs[at].value) / 100]);
    const lock = { line, hands: scopes[Number(scope.value)][1], strategy };
    solveWith(solution, [...solution.locks, lock], line, complain);
  });
  details.append(
    element("p", { class: "small soft" }, "These hands keep this strategy, and everything else is solved around it."),
    element("div", { class: "line" }, scope, ...actions.map((action, at) => element("label", { class: "small" }, `${action.name} `, inputs[at], " %"))),
    element("div", { class: "line" }, solve, sum),
  );
  return details;
};

// Reads what a lock has in the short words of a line, such as `x b90`, as the names that actions
// have elsewhere: check, bet 90. Whether a bet is all-in depends on the chips that are left.
class Reader {
  constructor(stacks) {
    this.left = stacks;
    this.begin();
  }

  // A street begins: player 1 is to act, and nobody has put anything in.
  begin() {
    this.put = [0, 0];
    this.player = 0;
  }

  // The chips that an action puts in on this street.
  chips(word) {
    const left = this.left[this.player];
    if (/^[xkf]/i.test(word)) return this.put[this.player];
    if (/^c/i.test(word)) return Math.min(this.put[1 - this.player], left);
    return /^a/i.test(word) ? left : Number(word.slice(1));
  }

  name(word) {
    const letter = word[0].toLowerCase();
    const passive = { f: "fold", x: "check", k: "check", c: "call" }[letter];
    if (passive) return passive;
    const chips = this.chips(word);
    if (chips >= this.left[this.player]) return `all-in ${chips}`;
    return `${letter === "b" ? "bet" : "raise to"} ${chips}`;
  }

  // What is shown for an action or a card of the line; the next one comes after it.
  step(word) {
    if (/^[2-9TJQKA][shdc]$/.test(word)) {
      this.left = this.left.map((chips, player) => chips - this.put[player]);
      this.begin();
      return cards(word);
    }
    const name = this.name(word);
    this.put[this.player] = this.chips(word);
    this.player = 1 - this.player;
    return name;
  }
}

// What is locked.
export const showLocks = (place, solution, complain) => {
  place.hidden = solution.locks.length === 0;
  if (place.hidden) return;
  const list = element("ul", { class: "small" });
  solution.locks.forEach((lock, at) => {
    const reader = new Reader(solution.parameters.stacks);
    const way = lock.line.split(/[\s,/]+/).filter(Boolean)
      .flatMap((word, step) => [step ? ", " : "After ", reader.step(word)]);
    const mix = lock.strategy.filter(([, share]) => share > 0)
      .map(([word, share]) => `${reader.name(word)} ${percent(share, 0)}`);
    const hands = lock.hands === "random" ? "all hands" : lock.hands.length > 60 ? `${lock.hands.slice(0, 60)}…` : lock.hands;
    const href = lock.line ? `?line=${encodeURIComponent(lock.line)}` : location.pathname;
    const where = element("a", { href }, ...(way.length ? way : ["At the beginning"]));
    where.dataset.line = lock.line;
    const remove = element("button", { type: "button", class: "plain small" }, "Solve without it");
    remove.addEventListener("click", () => solveWith(solution, solution.locks.filter((_, other) => other !== at), lock.line, complain));
    list.append(element("li", {}, where, `: ${hands}: ${mix.join(", ")} `, remove));
  });
  place.replaceChildren(element("h2", {}, "Locked"), list);
};
