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

  const place = (part) => {
    // What is pressed is not replaced before it is let go, or the click would be lost.
    let held = false;
    let latest = null;
    const put = () => {
      const html = latest;
      if (held || html === null || part.innerHTML === html) return;
      // Replacing the focused link or button would lose the reader's place.
      const focused = document.activeElement;
      const inside = part.contains(focused);
      const href = inside ? focused.getAttribute("href") : null;
      const id = inside ? focused.id : "";
      part.innerHTML = html;
      const again = id ? document.getElementById(id) : href && part.querySelector(`a[href="${CSS.escape(href)}"]`);
      again?.focus({ preventScroll: true });
    };
    part.addEventListener("pointerdown", () => { held = true; });
    for (const end of ["pointerup", "pointercancel"]) {
      document.addEventListener(end, () => {
        if (!held) return;
        held = false;
        setTimeout(put, 0);
      });
    }
    return (event) => {
      latest = JSON.parse(event.data);
      put();
    };
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
