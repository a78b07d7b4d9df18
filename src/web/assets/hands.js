// Steps through a hand: puts the state of the table before an action, which the server has written
// beside it, on the felt. Without this the felt shows the end, and the list is the whole hand.
"use strict";

(() => {
  /** @type {(within: ParentNode, selector: string) => any[]} elements, whose kind is known where they are used */
  const all = (within, selector) => [...within.querySelectorAll(selector)];
  const [review] = all(document, ".review");
  const steps = all(review, "li[data-at]");
  const [felt] = all(review, ".felt");
  const cards = all(felt, "[data-card]");
  const [pot, at, said, copied, below] = ["pot", "at", "said", "copied", "now"].map((id) => document.getElementById(id));
  const button = (name) => all(review, `[data-step="${name}"]`)[0];
  let now = steps.length;

  const seat = (place, state) => {
    const is = (name) => place.querySelector(`[data-is="${name}"]`);
    is("stack").textContent = state.stack;
    is("note").textContent = state.note;
    is("bet").textContent = state.bet;
    is("bet").hidden = !state.bet;
    place.querySelectorAll(".hand .pc").forEach((card, at) => card.classList.toggle("gone", state.gone.includes(at)));
    place.classList.toggle("turn", state.turn);
    place.classList.toggle("folded", state.folded);
  };

  const show = (step, speak) => {
    now = Math.min(Math.max(step, 1), steps.length);
    const item = steps[now - 1];
    const state = JSON.parse(item.dataset.state);
    for (const place of all(felt, "[data-seat]")) seat(place, state.seats[place.dataset.seat]);
    cards.forEach((place, number) => place.classList.toggle("away", number >= state.board));
    pot.textContent = state.pot;
    at.textContent = `${now} of ${steps.length}`;
    for (const other of steps) {
      other.classList.toggle("now", other === item);
      const link = other.querySelector(".what a");
      if (other === item) link.setAttribute("aria-current", "step");
      else link.removeAttribute("aria-current");
    }
    // Where there is no room beside the table, the open action stands below it.
    below.innerHTML = item.innerHTML;
    for (const link of all(below, "a, summary")) link.tabIndex = -1;
    button("first").disabled = button("back").disabled = now === 1;
    button("on").disabled = button("last").disabled = now === steps.length;
    if (speak) said.textContent = item.querySelector(".what").textContent.trim();
  };
  const go = (step) => {
    show(step, true);
    history.replaceState(null, "", `#${now}`);
  };
  const asked = () => Number(/^#(?:step-)?(\d+)$/.exec(location.hash)?.[1] ?? 0);

  review.classList.add("stepping");
  for (const part of all(review, ".stepper, .keys, #now, [data-copy]")) part.hidden = false;
  const to = { first: () => 1, back: () => now - 1, on: () => now + 1, last: () => steps.length };
  review.addEventListener("click", (event) => {
    const [link, step, copy] = [".what a", "[data-step]", "[data-copy]"].map((kind) => event.target.closest(kind));
    if (step) go(to[step.dataset.step]());
    else if (copy) take(copy);
    else if (link) {
      event.preventDefault();
      go(Number(link.hash.slice("#step-".length)));
    }
  });
  const KEYS = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement?.tagName)) return;
    if (event.key in KEYS) {
      event.preventDefault();
      go(to[KEYS[event.key]]());
    } else all(document, `a[data-key="${CSS.escape(event.key)}"]`)[0]?.click();
  });
  window.addEventListener("hashchange", () => asked() && show(asked(), true));

  const take = async (from) => {
    const what = from.getAttribute("aria-label").replace("Copy ", "");
    try {
      const page = await import("./page.js");
      const link = `${location.origin}${location.pathname}#${now}`;
      const text = from.dataset.copy ? await (await fetch(from.dataset.copy)).text() : link;
      await page.toClipboard(text);
      copied.textContent = `Copied ${what}.`;
    } catch {
      copied.textContent = "The browser does not let this page copy: open the link instead.";
    }
  };

  show(asked() || 1, false);
})();
