// Sends files of hands, asks who "you" are, and has matches analysed. The server reads and computes;
// this sends what was chosen, shows how far it is, and says what is wrong.

import { ask, byId } from "./page.js";

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

const complain = (place, error) => {
  place.textContent = error ? error.message : "";
  place.hidden = !error;
};

const startAnalysis = async (match, player, agent) => {
  await ask("POST", `/api/v1/matches/${encodeURIComponent(match)}/analysis`, { player, agent });
  location.assign(`/matches/${encodeURIComponent(match)}/analysis`);
};

const MOST_SHOWN = 12;
const size = (bytes) => (bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

// ---- The page that takes files.
const importPage = (form) => {
  const [input, drop, chosen, send, sent, state, wrong] = ["files", "drop", "chosen", "send", "sent", "state", "wrong"].map(byId);
  let files = [];

  const choose = (list) => {
    files = [...list];
    chosen.replaceChildren(...files.slice(0, MOST_SHOWN).map((file) => {
      const line = document.createElement("li");
      line.textContent = `${file.name}, ${size(file.size)}`;
      return line;
    }));
    if (files.length > MOST_SHOWN) chosen.append(`and ${files.length - MOST_SHOWN} more`);
    complain(wrong);
  };
  input.addEventListener("change", () => choose(input.files));
  for (const kind of ["dragenter", "dragover"]) {
    drop.addEventListener(kind, (event) => { event.preventDefault(); drop.classList.add("over"); });
  }
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    choose(event.dataTransfer.files);
  });
  // A file that misses the place would replace the page.
  for (const kind of ["dragover", "drop"]) window.addEventListener(kind, (event) => event.preventDefault());

  const importAll = async () => {
    if (files.length === 0) throw new Error("no file is chosen: choose one, or drop it above");
    const order = {
      files: files.map((file) => ({ name: file.name, bytes: file.size })),
      name: byId("name").value.trim(),
      game: byId("game").value,
      leave_out: byId("leave-out").checked,
    };
    let found = await ask("POST", "/api/v1/imports", order);
    const path = `/api/v1/imports/${encodeURIComponent(found.id)}`;
    sent.hidden = false;
    for (const [number, file] of files.entries()) {
      state.textContent = `Sending ${file.name}`;
      found = await ask("PUT", `${path}/files/${number}`, file);
      sent.value = (number + 1) / files.length;
    }
    while (found.state === "waiting" || found.state === "reading") {
      state.textContent = found.state === "waiting" ? "Waiting for other imports" : "Reading the hands";
      await pause(300);
      found = await ask("GET", path);
    }
    if (found.state !== "done") throw new Error(found.reason ?? "the import has not ended");
    return found.match;
  };

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    complain(wrong);
    byId("imported").hidden = true;
    send.disabled = true;
    try {
      show(await importAll());
      state.textContent = "";
    } catch (error) {
      state.textContent = "";
      complain(wrong, error);
    }
    sent.hidden = true;
    sent.value = 0;
    send.disabled = false;
  });

  let match = "";
  const show = (found) => {
    match = found.id;
    byId("imported-head").textContent = found.id;
    byId("notes").replaceChildren(...found.notes.map((note) => {
      const line = document.createElement("li");
      line.textContent = note;
      return line;
    }));
    byId("player").replaceChildren(...found.players.map((name) => new Option(name)));
    byId("hands").href = `/matches/${encodeURIComponent(found.id)}/hands`;
    byId("imported").hidden = false;
    byId("imported").focus();
  };
  byId("ask").addEventListener("submit", async (event) => {
    event.preventDefault();
    byId("analyse").disabled = true;
    try {
      await startAnalysis(match, byId("player").value, byId("agent").value);
    } catch (error) {
      complain(byId("ask-wrong"), error);
      byId("analyse").disabled = false;
    }
  });
};

// ---- The page of an analysis.
const analysisPage = async (page) => {
  const match = page.dataset.match;
  const path = `/api/v1/matches/${encodeURIComponent(match)}/analysis`;
  byId("again")?.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await startAnalysis(match, byId("player").value, byId("agent").value);
      location.reload();
    } catch (error) {
      complain(byId("wrong"), error);
    }
  });
  byId("stop")?.addEventListener("click", async () => {
    byId("stop").disabled = true;
    await ask("PUT", `${path}/stop`).catch((error) => complain(byId("wrong"), error));
  });
  while (page.dataset.state === "working") {
    await pause(500);
    const found = await ask("GET", path).catch(() => null);
    if (!found) continue;
    if (found.state !== "waiting" && found.state !== "working") return location.reload();
    byId("state").textContent = found.state === "waiting" ? "Waiting for other analyses" : `${found.done} of ${found.hands} hands`;
    byId("sent").value = found.done;
  }
};

if (byId("import")) importPage(byId("import"));
if (byId("analysis")) analysisPage(byId("analysis"));
