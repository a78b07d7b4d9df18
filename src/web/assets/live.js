// Keeps the parts of the page that change up to date. The server renders them; this only puts them
// in place, and without it the page is the same, but stands still.
"use strict";

(() => {
  const source = document.body.dataset.live;
  const state = document.getElementById("live-state");
  if (!source || !window.EventSource) return;

  const show = (on, text) => {
    if (!state) return;
    state.querySelector(".dot").className = on ? "dot on" : "dot off";
    state.querySelector(".text").textContent = text;
  };

  const place = (part) => (event) => {
    const html = JSON.parse(event.data);
    if (part.innerHTML === html) return;
    // Replacing the focused link would lose the reader's place.
    const focused = document.activeElement;
    const href = part.contains(focused) ? focused.getAttribute("href") : null;
    part.innerHTML = html;
    if (href) part.querySelector(`a[href="${CSS.escape(href)}"]`)?.focus({ preventScroll: true });
  };

  show(false, "connecting");
  const events = new EventSource(source);
  /** @type {NodeListOf<HTMLElement>} */
  const parts = document.querySelectorAll("[data-part]");
  for (const part of parts) {
    events.addEventListener(part.dataset.part, place(part));
  }
  events.addEventListener("open", () => show(true, "live"));
  events.addEventListener("error", () => show(false, "not connected"));
})();
