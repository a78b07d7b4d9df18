// Puts a command together from the form, has the server check it while it is written, and starts
// it. What is started is the command that is shown; lists are the server's, and only placed here.

import { ask, byId, element, toClipboard } from "./page.js";

const RUNS = "/api/v1/run";
const FIRST = ["cfr", "oct", "equity", "call", "resolve", "random"];
const PAUSE = 350;

const form = byId("order");
const wrong = byId("wrong");
const said = byId("said");

const fail = (error) => {
  wrong.textContent = error?.message ?? error ?? "";
  wrong.hidden = !error;
};
const say = (text) => { said.textContent = text; };

// ---- Runs in the list. It is replaced while it is looked at, so all buttons are listened for here.
document.addEventListener("click", async (event) => {
  /** @type {HTMLButtonElement} */
  const button = /** @type {Element} */ (event.target).closest("button[data-do]");
  if (!button) return;
  fail(null);
  button.disabled = true;
  try {
    await ask("PUT", `${RUNS}/${button.dataset.run}/${button.dataset.do}`);
    if (button.dataset.do === "forget" && !form) location.assign("/run");
  } catch (error) {
    fail(error);
    button.disabled = false;
    wrong.scrollIntoView({ block: "nearest" });
  }
});

if (form) build();

function build() {
  const agents = byId("agents");
  const command = byId("command");
  const checked = byId("checked");
  const start = byId("start");
  const copy = byId("copy");
  const what = () => form.elements.what.value;
  // The command as the server completes it, and the last check, which alone counts.
  let whole = "";
  let latest = null;
  let timer = 0;

  // ---- The fields that belong to what is chosen.
  const belongs = (element) => {
    const { for: kinds, measure } = element.dataset;
    if (kinds && !kinds.split(" ").includes(what())) return false;
    return !measure || (what() === "evaluate" && measure.split(" ").includes(byId("measure").value));
  };
  const arrange = () => {
    for (const part of form.querySelectorAll("[data-for], [data-measure]")) part.hidden = !belongs(part);
    byId("fields").hidden = what() === "scrimmage";
    const flops = what() === "evaluate" && byId("measure").value === "best-response";
    byId("flops-label").hidden = !flops;
    byId("hands-label").hidden = flops;
    seats();
  };

  // ---- Agents: one for each seat of a match, any number from there on in a tournament.
  const players = () => Number(byId("game").selectedOptions[0].dataset.players);
  const label = (place) => (what() === "match" ? `Seat ${place + 1}` : `Agent ${place + 1}`);
  const add = (value) => {
    const field = element("input", { autocomplete: "off", spellcheck: false, value });
    field.setAttribute("list", "known");
    field.setAttribute("autocapitalize", "off");
    const remove = element("button", { type: "button", class: "plain small", title: "Leaves this agent out" }, "Remove");
    remove.addEventListener("click", () => {
      remove.parentElement.remove();
      arrange();
      compose();
      agents.querySelector("li:last-child input").focus();
    });
    agents.append(element("li", {}, element("label", {}, element("span", {}), field), remove));
    return field;
  };
  const seats = () => {
    const least = what() === "match" ? players() : Math.max(2, players());
    while (agents.children.length < least) add(FIRST[agents.children.length] ?? "call");
    while (what() === "match" && agents.children.length > least) agents.lastElementChild.remove();
    [...agents.children].forEach((line, place) => {
      line.querySelector("span").textContent = label(place);
      line.querySelector("button").hidden = what() === "match" || agents.children.length <= least;
    });
  };

  // ---- The command.
  const quoted = (word) => (/^[\w\-./:=,+@%]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
  const words = () => {
    const value = (id) => byId(id).value.trim();
    const list = [what()];
    const option = (name, id) => { if (value(id)) list.push(name, value(id)); };
    const measure = byId("measure").value;
    if (what() === "evaluate") {
      list.push(measure, value("measured"));
      if (measure === "duel") list.push("--against", value("against"));
      if (measure === "duel" || measure === "panel") option("--compared-with", "compared");
      if (measure === "lbr" || measure === "duel") option("--from", "from");
    } else {
      list.push(...[...agents.querySelectorAll("input")].map((field) => field.value.trim()));
    }
    const game = byId("game");
    if (!("usual" in game.selectedOptions[0].dataset)) list.push("--game", game.value);
    if (what() === "evaluate" && measure === "best-response") option("--flops", "flops");
    else option("--hands", "hands");
    option("--seed", "seed");
    if (what() !== "evaluate") {
      if (!byId("duplicate").checked) list.push("--no-duplicate");
      list.push(...value("rule").split(" ").filter(Boolean));
    }
    if (what() === "tournament" && byId("gauntlet").checked) list.push("--gauntlet");
    // Further options are words already.
    return [list.map(quoted).join(" "), value("further")].filter(Boolean).join(" ");
  };
  const compose = () => {
    if (what() === "scrimmage") return;
    command.value = `cardroom ${words()}`;
    later();
  };

  // ---- Checking: what the command itself says, and the whole of it.
  const later = () => {
    start.disabled = copy.disabled = true;
    say("");
    clearTimeout(timer);
    timer = setTimeout(check, PAUSE);
  };
  async function check() {
    const mine = latest = {};
    try {
      const found = await ask("POST", `${RUNS}/check`, { command: command.value });
      if (mine !== latest) return;
      whole = found.command;
      fail(null);
      const hands = found.hands ? ` ${found.hands.toLocaleString("en")} hands.` : "";
      const known = found.known ? ` Run ${found.known} is the same: it goes on, or shows its result again.` : "";
      checked.replaceChildren(
        element("p", { class: "small soft" }, `The whole of it:${hands}${known}`),
        element("p", { class: "command" }, element("code", {}, whole)),
      );
      start.disabled = copy.disabled = false;
    } catch (error) {
      if (mine !== latest) return;
      whole = "";
      checked.replaceChildren();
      fail(error);
    }
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (start.disabled) return;
    start.disabled = true;
    try {
      const run = await ask("POST", RUNS, { command: command.value });
      fail(null);
      say(run.state === "waiting" ? `Run ${run.id} is in the list.` : `Run ${run.id} is ${run.state}.`);
    } catch (error) {
      fail(error);
    }
    start.disabled = false;
  });
  copy.addEventListener("click", async () => {
    try {
      await toClipboard(whole);
      say("Copied.");
    } catch {
      // Where the browser does not let it, what is shown is selected instead.
      getSelection().selectAllChildren(checked.querySelector("code"));
      say("It is selected: copy it with the keyboard.");
    }
  });
  byId("another").addEventListener("click", () => {
    const field = add("");
    arrange();
    field.focus();
  });
  byId("dice").addEventListener("click", () => {
    byId("seed").value = Math.floor(Math.random() * 2 ** 32);
    compose();
  });
  byId("round")?.addEventListener("click", async () => {
    try {
      await ask("PUT", "/api/v1/scrimmage/round");
      byId("round-said").textContent = "A round was asked for.";
    } catch (error) {
      byId("round-said").textContent = error.message;
    }
  });
  const round = form.querySelector("[data-for=scrimmage] code");
  if (round) round.textContent = round.textContent.replace("ADDRESS", location.origin);
  command.addEventListener("input", later);
  form.addEventListener("input", (event) => {
    if (event.target === command) return;
    arrange();
    compose();
  });
  arrange();
  compose();
}
