// What the scripts of all pages share: elements, asking the server, numbers in words, copying, and
// what the browser keeps.

// An element of the page, whose kind is known where it is used.
/** @type {(id: string) => any} */
export const byId = (id) => document.getElementById(id);

export const element = (tag, attributes = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") made.className = value;
    else if (name in made && name !== "list") made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
};

// An answer of the server's interface, by default of its part for the study; a file is sent as it is,
// anything else as JSON. An error has the server's words and the place in what was sent.
/** @type {(method: string, path: string, body?: any) => Promise<any>} */
export const ask = async (method, path, body) => {
  /** @type {RequestInit} */
  const options = { method };
  if (body !== undefined) {
    const file = body instanceof Blob;
    options.headers = { "Content-Type": file ? "application/octet-stream" : "application/json" };
    options.body = file ? body : JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(path.startsWith("/api/") ? path : `/api/v1/study${path}`, options);
  } catch {
    throw Object.assign(new Error("The server does not answer."), { code: 0 });
  }
  const object = await answer.json().catch(() => ({}));
  if (!answer.ok) {
    const { error = `the server answers ${answer.status}`, remedy = "its log says more", place } = object ?? {};
    const words = error[0].toUpperCase() + error.slice(1);
    throw Object.assign(new Error(`${words}: ${remedy}.`), { code: answer.status, place });
  }
  return object;
};

export const percent = (share, decimals = 1) => `${(100 * share).toFixed(decimals)} %`;
export const signed = (number, decimals) =>
  `${number < 0 ? "−" : "+"}${Math.abs(number).toFixed(decimals)}`;
export const bytes = (count) => {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let at = 0;
  while (count >= 1024 && at < units.length - 1) [count, at] = [count / 1024, at + 1];
  return `${count.toFixed(at === 0 ? 0 : 1)} ${units[at]}`;
};
export const time = (seconds) => {
  if (seconds < 1) return "less than a second";
  if (seconds < 90) return `about ${Math.round(seconds)} s`;
  if (seconds < 5400) return `about ${Math.round(seconds / 60)} min`;
  return `about ${Math.round(seconds / 3600)} h`;
};

// Puts a text into the clipboard; an error says that the browser refuses. Only pages from this
// machine or over HTTPS have the clipboard itself.
export const toClipboard = async (text) => {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const area = element("textarea", { value: text });
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (!done) throw new Error("refused");
};

// Without storage (private windows) what is kept lasts as long as the page.
const memory = new Map();
export const keep = (key, value) => {
  memory.set(key, value);
  try { localStorage.setItem(`cardroom.study.${key}`, value); } catch { /* kept in memory */ }
};
export const kept = (key) => {
  try { return localStorage.getItem(`cardroom.study.${key}`) ?? memory.get(key) ?? null; } catch { return memory.get(key) ?? null; }
};
