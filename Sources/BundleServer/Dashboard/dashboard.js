// The dashboard: unlocks it, follows the server's state, and carries out what buttons are for.

import { showBundles } from "./bundles.js";
import { act, findToken, forgetToken, readState, readStates, Refusal, setToken, token } from "./connection.js";
import { byID, keepingFocus, make, makeTime, refreshTimes, setText, setTime } from "./elements.js";
import { showHistory, showMisses, showOrigins, showRequests, showStorage, showTiles } from "./figures.js";
import { counted, duration } from "./format.js";

/** Seconds between attempts to connect; the last one again and again. */
const pauses = [1, 2, 4, 8, 15, 30];

let connection = null;
let failureCount = 0;
let timer = null;
/** The numbers of the outcomes that were told. */
const toldOutcomes = new Map();
let isFirstState = true;

// MARK: Unlocking

function lock(problem = "") {
  disconnect();
  forgetToken();
  toldOutcomes.clear();
  isFirstState = true;
  byID("board").hidden = true;
  byID("leave").hidden = true;
  byID("entry").hidden = false;
  byID("token").value = "";
  setText(byID("entry-problem"), problem);
  byID("server").replaceChildren();
  showConnection("closed", "Locked");
  byID("token").focus();
}

byID("entry").addEventListener("submit", (event) => {
  event.preventDefault();
  // The whole link will do, too.
  setToken(byID("token").value.trim().replace(/^.*#token=/, ""));
  setText(byID("entry-problem"), "");
  connect();
});

byID("leave").addEventListener("click", () => lock());

// MARK: Connection

async function connect() {
  disconnect();
  const controller = new AbortController();
  connection = controller;
  showConnection("opening", "Connecting …");
  let problem = null;
  try {
    await readStates(controller.signal, (state) => {
      failureCount = 0;
      showConnection("open", "Live");
      show(state);
    });
  } catch (error) {
    problem = error;
    if (error instanceof Refusal && error.status === 503) await showOnce(controller);
  }
  if (connection !== controller) return;
  connection = null;
  if (problem instanceof Refusal && problem.status === 401) {
    lock("This isn't the token of the server that runs now. Look at what it has printed at its start, or ask who has chosen it.");
    return;
  }
  const pause = pauses[Math.min(failureCount, pauses.length - 1)];
  failureCount += 1;
  showConnection("closed", problem instanceof Refusal ? `Not live: ${problem.message}` : "Disconnected, trying again …");
  timer = setTimeout(connect, pause * 1000 * (0.75 + Math.random() / 2));
}

/** Shows the state without a stream, where the server has none to spare. */
async function showOnce(controller) {
  try {
    const state = await readState(controller.signal);
    if (connection === controller) show(state);
  } catch {
    // The next attempt to connect says what is wrong.
  }
}

function disconnect() {
  clearTimeout(timer);
  connection?.abort();
  connection = null;
}

// A tab that nobody sees occupies none of the few connections that a browser opens to one server.
document.addEventListener("visibilitychange", () => {
  if (!token) return;
  if (document.hidden) {
    disconnect();
    showConnection("closed", "Paused");
  } else {
    connect();
  }
});

function showConnection(state, text) {
  byID("connection").dataset.state = state;
  setText(byID("connection").querySelector(".text"), text);
}

// MARK: State

function show(state) {
  byID("entry").hidden = true;
  byID("board").hidden = false;
  byID("leave").hidden = false;
  keepingFocus(() => {
    const { server, bundles, usage, storage, events, origins } = state;
    showServer(server);
    byID("problem").hidden = !server.problem;
    setText(byID("problem"), server.problem ?? "");
    setText(byID("bundle-count"), server.bundleCount > 0 ? String(server.bundleCount) : "");
    byID("no-bundles").hidden = server.bundleCount > 0;
    byID("more-bundles").hidden = server.bundleCount <= bundles.length;
    setText(byID("more-bundles"), `And ${counted(server.bundleCount - bundles.length, "bundle")} more.`);
    showTiles(byID("tiles"), usage, storage);
    showBundles(byID("bundles"), bundles, run);
    showRequests(byID("requests"), usage);
    showStorage(byID("storage"), storage);
    showMisses(byID("misses"), usage);
    byID("origins-section").hidden = origins.length === 0;
    showOrigins(byID("origins"), origins);
    byID("no-history").hidden = events.length > 0;
    showHistory(byID("history"), events);
  });
  tellOutcomes(state.bundles);
}

function showServer({ version, startedAt, checkInterval }) {
  const line = byID("server");
  if (!line.firstChild) line.append(make("span"), makeTime(startedAt));
  const updates = checkInterval ? `updates every ${duration(checkInterval)}, ` : "";
  setText(line.firstChild, `Version ${version}, ${updates}started `);
  setTime(line.lastChild, startedAt);
}

/** Says what checks and updates have come to, but not those from before this page was opened. */
function tellOutcomes(bundles) {
  for (const { name, outcome } of bundles) {
    if (!outcome || toldOutcomes.get(name) === outcome.number) continue;
    toldOutcomes.set(name, outcome.number);
    if (!isFirstState) say(outcome.text, outcome.isFailure);
  }
  isFirstState = false;
}

setInterval(refreshTimes, 20_000);

// MARK: Actions

async function run(action, { name, version, question }, button) {
  if (question && !await confirm(question)) return;
  button.isBusy = true;
  button.setAttribute("aria-disabled", "true");
  try {
    say(await act(action, name, version));
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) {
      lock("The server has another token now.");
    } else {
      say(error instanceof Refusal ? error.message : "The server doesn't respond; nothing is known of what it has done.", true);
    }
  } finally {
    button.isBusy = false;
    button.removeAttribute("aria-disabled");
  }
}

/** Asks before something that is easily regretted; true when it is to be done. */
function confirm({ title, text, confirm: label }) {
  const dialog = byID("confirmation");
  setText(byID("confirmation-title"), title);
  setText(byID("confirmation-text"), text);
  setText(byID("confirmation-yes"), label);
  dialog.returnValue = "";
  dialog.showModal();
  byID("confirmation-no").focus();
  return new Promise((resolve) => {
    const finish = () => {
      // The event of an earlier question comes late, when this one is open already.
      if (dialog.open) return;
      dialog.removeEventListener("close", finish);
      resolve(dialog.returnValue === "yes");
    };
    dialog.addEventListener("close", finish);
  });
}

byID("confirmation-yes").addEventListener("click", () => byID("confirmation").close("yes"));
byID("confirmation-no").addEventListener("click", () => byID("confirmation").close(""));

/** Shows a message for a while; screen readers read it. */
function say(text, isFailure = false) {
  const message = make(isFailure ? "p.message.failure" : "p.message", {}, text);
  const close = make("button.plain", { type: "button", "aria-label": "Dismiss the message" }, "×");
  close.addEventListener("click", () => message.remove());
  message.append(close);
  const messages = byID("messages");
  messages.append(message);
  while (messages.children.length > 4) messages.firstChild.remove();
  setTimeout(() => message.remove(), isFailure ? 30_000 : 8_000);
}

findToken();
if (token) connect();
else lock();
window.addEventListener("hashchange", () => {
  findToken();
  if (token) connect();
});
