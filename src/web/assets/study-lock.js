// Locks: a form that gives the hands of a decision a strategy and has the spot solved again, and what
// is locked in a solution.

import { ask, element } from "./page.js";

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

// What is locked.
export const showLocks = (place, solution, complain) => {
  place.hidden = solution.locks.length === 0;
  if (place.hidden) return;
  const list = element("ul", { class: "small" });
  solution.locks.forEach((lock, at) => {
    const mix = lock.strategy.filter(([, share]) => share > 0).map(([word, share]) => `${word} ${(100 * share).toFixed(0)} %`);
    const hands = lock.hands === "random" ? "all hands" : lock.hands.length > 60 ? `${lock.hands.slice(0, 60)}…` : lock.hands;
    const where = element("a", { href: lock.line ? `?line=${encodeURIComponent(lock.line)}` : location.pathname }, lock.line ? `After ${lock.line}` : "At the beginning");
    where.dataset.line = lock.line;
    const remove = element("button", { type: "button", class: "plain small" }, "Solve without it");
    remove.addEventListener("click", () => solveWith(solution, solution.locks.filter((_, other) => other !== at), lock.line, complain));
    list.append(element("li", {}, where, `: ${hands}: ${mix.join(", ")} `, remove));
  });
  place.replaceChildren(element("h2", {}, "Locked"), list);
};
