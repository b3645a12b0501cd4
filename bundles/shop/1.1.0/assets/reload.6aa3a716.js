// Offers another release, and gets it. Only an endpoint says in Server-Timing which one this page is of.
const [navigation] = performance.getEntriesByType("navigation");
const timing = navigation?.serverTiming?.find(({ name }) => name === "bundle");
const [bundle, version] = timing?.description.split("@") ?? [];
const calls = `/.bundles/${bundle}`;
const button = document.querySelector("[data-reload]");
let state = {};

async function have(action) {
  const { nonce } = await (await fetch(`${calls}?page=${encodeURIComponent(version)}`)).json();
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(`${calls}/${action}`, { method: "POST", headers, body: JSON.stringify({ nonce }) });
  button.disabled = response.ok;
}

function next() {
  if (state.active !== version) location.reload();
  else if (state.ready) have("activate");
  else if (state.available && !button.disabled) have("update");
}

button.addEventListener("click", next);
if (version) {
  new EventSource(`${calls}/events`).onmessage = ({ data }) => {
    state = JSON.parse(data);
    button.hidden = state.active === version && !state.ready && !state.available;
    // It was clicked, and something has come of it.
    if (button.disabled) next();
  };
}
