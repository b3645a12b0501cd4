// The requests to the server, and the stream of states.

import { setClock } from "./format.js";

const storageKey = "bundlectl-dashboard-token";

/** The token of this tab; null when there is none. */
export let token = null;

/** Takes the token from the address, which it leaves, or from what this tab has kept. */
export function findToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) {
    history.replaceState(null, "", location.pathname);
    setToken(given);
  } else {
    token = sessionStorage.getItem(storageKey);
  }
}

export function setToken(text) {
  token = text;
  sessionStorage.setItem(storageKey, text);
}

export function forgetToken() {
  token = null;
  sessionStorage.removeItem(storageKey);
}

/** What the server has refused. */
export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function request(path, options = {}) {
  const response = await fetch(path, {
    ...options,
    headers: { ...options.headers, Authorization: `Bearer ${token}` },
    cache: "no-store",
    credentials: "omit",
  });
  if (response.ok) return response;
  throw new Refusal(response.status, await explanation(response));
}

async function explanation(response) {
  const text = (await response.text()).trim();
  if (response.headers.get("Content-Type") !== "application/json") return text || `status ${response.status}`;
  const { message, advice } = JSON.parse(text);
  return advice ? `${message}; ${advice}` : message;
}

/** Carries out an action; returns what was done, in a sentence. */
export async function act(action, name, version) {
  const response = await request(`/api/bundles/${encodeURIComponent(name)}/${action}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(version ? { version } : {}),
  });
  return (await response.json()).message;
}

/** The icon of a bundle as a `data:` URL; undefined when it has none. */
export async function icon(name) {
  return (await (await request(`/api/bundles/${encodeURIComponent(name)}/icon`)).json()).url;
}

/** Reads the state once. */
export async function readState(signal) {
  const response = await request("/api/state", { signal });
  setClock(response.headers.get("Date"));
  return await response.json();
}

/**
 * Reads the stream of states until it ends or `signal` is aborted. `EventSource` can't send the token.
 *
 * @param onState Called with each state.
 */
export async function readStates(signal, onState) {
  const response = await request("/api/events", { signal });
  setClock(response.headers.get("Date"));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const events = (rest + value).split("\n\n");
    rest = events.pop();
    for (const event of events) {
      const data = event.split("\n").filter((line) => line.startsWith("data: ")).map((line) => line.slice(6));
      if (data.length > 0) onState(JSON.parse(data.join("\n")));
    }
  }
}
