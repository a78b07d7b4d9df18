// A person's hands on the table: sends actions to the same interface that programs play by, puts what
// the server renders into its place, and listens to the keyboard. Rules, cards and sums are the
// server's; the only thing kept here is the session's token, one for each opponent.
"use strict";

(() => {
  /** @type {(id: string) => any} an element of the page, whose kind is known where it is used */
  const byId = (id) => document.getElementById(id);
  /** @type {(within: ParentNode, selector: string) => any[]} */
  const all = (within, selector) => [...within.querySelectorAll(selector)];
  const [game] = all(document, ".game");
  const places = all(document, "[data-part]");
  const [table, said, wrong, opponent] = ["table", "said", "wrong", "opponent"].map(byId);
  const shown = new Map();
  let events = null;
  let busy = false;
  // Whether the table shown is the session's; a deal before that would leave an open hand behind.
  let known = false;

  // Without storage (private windows) sessions last as long as the page.
  const memory = new Map();
  const keep = (key, value) => {
    memory.set(key, value);
    try { localStorage.setItem(`cardroom.${key}`, value); } catch { /* kept in memory */ }
  };
  const kept = (key) => {
    try { return localStorage.getItem(`cardroom.${key}`) ?? memory.get(key); } catch { return memory.get(key); }
  };
  const token = () => kept(`token.${opponent.value}`) || "";

  const complain = (text) => {
    wrong.textContent = text;
    wrong.hidden = !text;
  };
  const say = (text) => {
    if (said.textContent !== text) said.textContent = text;
  };

  // What the interface says, in words for people.
  const PLAIN = {
    "Bad token": "The server has forgotten this session. The next hand begins a new one.",
    "Bet size too big": "That is more than you have.",
    "Illegal bet": "That amount is not possible now.",
    "Illegal call": "There is nothing to call: check with k.",
    "Illegal check": "There is a bet to answer: call with c or fold with f.",
    "Illegal fold": "There is nothing to fold to: check with k.",
  };

  const post = async (path, body) => {
    const answer = await fetch(`/api/${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    const object = await answer.json();
    if (object.error_msg) throw new Error(PLAIN[object.error_msg] ?? `${object.error_msg}.`);
    return object;
  };

  const part = (name, html) => {
    const place = places.find((place) => place.dataset.part === name);
    if (!place || shown.get(name) === html) return;
    shown.set(name, html);
    const open = all(place, "details[open]").map((hand) => hand.dataset.hand);
    const focused = place.contains(document.activeElement);
    place.innerHTML = html;
    for (const hand of open) place.querySelector(`details[data-hand="${hand}"]`)?.setAttribute("open", "");
    if (name === "table") {
      say(place.querySelector(".felt").dataset.said);
      write(byId("amount")?.value);
    }
    const history = byId("all-hands");
    if (history) history.href = `/play/history?token=${token()}`;
    if (focused && name === "table") game.focus({ preventScroll: true });
  };

  const moment = (html) => Number(/data-moment="(\d+)"/.exec(html)[1]);
  const look = async () => {
    const of = token() ? `token=${token()}` : `agent=${encodeURIComponent(opponent.value)}`;
    const answer = await fetch(`/play/table?${of}`);
    if (answer.ok) {
      part("table", await answer.text());
      known = true;
    } else if (answer.status === 404) await forget("The server has forgotten this session. Deal to begin a new one.");
    else throw new Error("The server cannot show the table now.");
  };

  // One request at a time; whatever it comes to, the table is looked at afterwards.
  const setBusy = (on) => {
    busy = on;
    if (on) game.setAttribute("aria-busy", "true");
    else game.removeAttribute("aria-busy");
  };
  const doing = async (words, work) => {
    if (busy) return;
    setBusy(true);
    complain("");
    const slow = setTimeout(() => say(words), 300);
    try {
      await work();
    } catch (error) {
      const reached = !(error instanceof TypeError || error instanceof SyntaxError);
      complain(reached ? error.message : "The server does not answer. The hand waits; try again.");
    }
    clearTimeout(slow);
    try { await look(); } catch { /* said already, or the table is as it was */ }
    say(table.querySelector(".felt").dataset.said);
    setBusy(false);
  };

  const deal = () => (known ? dealNext() : sit());
  const dealNext = () => doing("The cards are dealt …", async () => {
    const answer = await post("new_hand", token() ? { token: token() } : { agent: opponent.value });
    if (!answer.token) return;
    keep(`token.${opponent.value}`, answer.token);
    listen();
  }).then(() => {
    if (wrong.textContent === PLAIN["Bad token"]) forget(PLAIN["Bad token"]);
  });

  const act = (incr) => doing(`${opponent.value} is thinking …`, () => post("act", { token: token(), incr }));

  // The slider's thousand steps grow with the amount, so that small bets are not lost at one end.
  const amount = () => {
    const field = byId("amount");
    const [min, max] = [Number(field.dataset.min), Number(field.dataset.max)];
    return { field, min, max, to: Number(field.value) };
  };
  const write = (value) => {
    if (!byId("amount")) return;
    const { field, min, max } = amount();
    if (value !== undefined) field.value = String(value).replace(/\D/g, "");
    const to = Number(field.value);
    const good = to >= min && to <= max;
    field.setAttribute("aria-invalid", String(!good));
    const button = byId("raise");
    const spoken = to.toLocaleString("en-US");
    button.querySelector(".words").textContent = `${button.dataset.verb} ${to === max ? "all-in" : spoken}`
      .replace("Raise to all-in", "Raise all-in");
    button.querySelector("small").textContent = good ? `${Number((to / 100).toFixed(1))} bb` : `${min} to ${max}`;
    const slider = byId("slider");
    const at = Math.log(Math.min(Math.max(to, min), max) / min) / Math.log(max / min);
    slider.value = max > min ? Math.round(1000 * at) : 1000;
    slider.setAttribute("aria-valuetext", `${spoken} chips`);
  };
  const slide = (at) => {
    const { min, max } = amount();
    const to = min * (max / min) ** (at / 1000);
    const step = to < 1000 ? 10 : to < 4000 ? 50 : 100;
    write(Math.min(Math.max(Math.round(to / step) * step, min), max));
  };
  const size = (label) => [...table.querySelectorAll("[data-to]")].find((button) => button.textContent === label);
  const raise = () => {
    const { field, min, max, to } = amount();
    if (to >= min && to <= max) return act(`b${to}`);
    complain(`Between ${min} and ${max} chips, please.`);
    return field.select();
  };

  // The parts that change by themselves.
  const state = (on, text) => {
    const place = byId("live-state");
    place.querySelector(".dot").className = on === null ? "dot" : on ? "dot on" : "dot off";
    place.querySelector(".text").textContent = text;
  };
  const listen = () => {
    events?.close();
    events = null;
    if (!token() || !window.EventSource) return state(null, "no session yet");
    state(false, "connecting");
    events = new EventSource(`/play/live?token=${token()}`);
    for (const name of ["table", "review", "advice", "result", "history"]) {
      events.addEventListener(name, (event) => {
        const html = JSON.parse(event.data);
        // What was rendered before the last action may come after its answer.
        const old = name === "table" && (busy || moment(html) < moment(table.innerHTML));
        if (!old) part(name, html);
      });
    }
    events.addEventListener("open", () => state(true, "live"));
    events.addEventListener("error", () => state(false, "not connected"));
  };

  // What the page says before there is a session.
  const empty = places.map((place) => [place.dataset.part, place.innerHTML]);
  const sit = async (why = "") => {
    setBusy(true);
    known = false;
    for (const [name, html] of empty) part(name, html);
    complain(why);
    listen();
    try { await look(); } catch { complain("The server does not answer; try again."); }
    setBusy(false);
  };
  function forget(why) {
    keep(`token.${opponent.value}`, "");
    return sit(why);
  }

  table.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button || button.disabled) return;
    if (button.dataset.incr) act(button.dataset.incr);
    else if (button.dataset.to) write(button.dataset.to);
    else if (button.id === "raise") raise();
    else if ("deal" in button.dataset) deal();
  });
  table.addEventListener("input", (event) => {
    if (event.target.id === "slider") slide(Number(event.target.value));
    else write(event.target.value);
  });
  opponent.addEventListener("change", () => {
    keep("opponent", opponent.value);
    sit();
  });
  byId("afresh").addEventListener("click", () => {
    keep(`token.${opponent.value}`, "");
    sit();
  });

  const NOT_NOW = {
    f: "There is nothing to fold to: check with k.",
    c: "There is nothing to call: check with k.",
    k: "There is a bet to answer: call with c or fold with f.",
    b: "No bet or raise is possible now.",
    n: "The hand is not over yet.",
  };
  const typing = (event, field) => {
    if (event.key === "Enter") raise();
    else if (event.key === "Escape") field.blur();
    else if (event.key === "p") write(size("pot")?.dataset.to ?? field.value);
    else if (event.key === "a") write(field.dataset.max);
    else if (event.key === "ArrowUp") write(Math.min(Number(field.value) + 100, Number(field.dataset.max)));
    else if (event.key === "ArrowDown") write(Math.max(Number(field.value) - 100, Number(field.dataset.min)));
    else return;
    event.preventDefault();
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    const at = document.activeElement;
    if (at?.id === "amount") return typing(event, at);
    if (at && /^(INPUT|SELECT)$/.test(at.tagName) && at.id !== "slider") return;
    const next = table.querySelector("[data-deal]");
    if (event.key === "Enter" || event.key === " ") {
      // On a button or a link these mean that one.
      if (!next || /^(BUTTON|A|SUMMARY)$/.test(at?.tagName)) return;
      event.preventDefault();
      return deal();
    }
    const key = event.key.toLowerCase();
    if (!(key in NOT_NOW) || busy) return;
    event.preventDefault();
    if (key === "b" && byId("amount")) return byId("amount").select();
    const button = table.querySelector(`[data-key="${key}"]`);
    if (button) return button.click();
    complain(next ? "No hand is being played: n deals the next one." : NOT_NOW[key]);
  });

  const linked = new URLSearchParams(location.search).has("agent");
  const before = linked ? null : kept("opponent");
  if (before && [...opponent.options].some((option) => option.value === before)) opponent.value = before;
  sit();
})();
