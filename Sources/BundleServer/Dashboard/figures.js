// Tiles, bars and tables.

import { make, makeTable, makeTime, reconcile, setText, setTime } from "./elements.js";
import { bytes, counted, number, percentage } from "./format.js";

/** In the order in which they are asked. */
const layers = {
  active: "Active version",
  retained: "Earlier version",
  cache: "Cache",
  network: "Network",
  stale: "Stale cache",
  miss: "Miss",
  server: "Server itself",
};

const parts = {
  live: "Bundles in use",
  dead: "Unused, freed by prune",
  undetermined: "Of damaged versions",
  index: "Indexes",
  cache: "Cached responses",
  variant: "Compressed forms",
  download: "Downloads",
  incoming: "Being written",
  catalog: "Catalog",
};

/** The numbers of the day. */
export function showTiles(list, usage, storage) {
  const used = sum(storage?.parts.map(({ byteCount }) => byteCount) ?? []);
  const none = "not counted";
  const saved = usage && usage.saved.codings + usage.saved.deltas;
  const errors = usage && usage.errors.client + usage.errors.server;
  const tiles = [
    ["Hit rate", usage ? (usage.hitRate === undefined ? "–" : percentage(usage.hitRate)) : none,
      "of requests for bundles needed no network", usage?.hitRate],
    ["Requests", usage ? number(usage.requests.total) : none,
      usage && (errors > 0 ? `${counted(errors, "error")} among them` : "none of them an error")],
    ["Network saved", usage ? bytes(usage.bytes.bundle + usage.bytes.cache) : none,
      usage && `came from bundles and cache, ${bytes(usage.bytes.network)} from the network`],
    ["Bytes saved", usage ? bytes(saved) : none,
      usage && `${bytes(usage.saved.codings)} by compression, ${bytes(usage.saved.deltas)} by deltas`],
    ["Store", storage ? bytes(used) : "–", storage && quotaText(used, storage), storage?.quota && used / storage.quota],
  ];
  reconcile(list, tiles, ([title]) => title, createTile, updateTile);
}

function createTile([title]) {
  return make("div.tile", {}, make("dt", {}, title), make("dd.value"), make("dd.note"), make("dd.meter", { hidden: true, "aria-hidden": "true" }, make("span")));
}

function updateTile(tile, [, value, note, share]) {
  setText(tile.querySelector(".value"), value);
  setText(tile.querySelector(".note"), note || "");
  const meter = tile.querySelector(".meter");
  meter.hidden = share === undefined || share === null;
  meter.firstChild.style.width = `${Math.min(share ?? 0, 1) * 100}%`;
}

const quotaText = (used, { quota }) => quota ? `${percentage(used / quota)} of the quota of ${bytes(quota)}` : "without a quota";

/** A bar of the requests, and its legend. */
export function showRequests(box, usage) {
  if (!usage) return showHint(box, "This server counts no statistics.");
  const { total, ...counts } = usage.requests;
  if (total === 0) return showHint(box, "There were no requests in the last 24 hours.");
  showBar(box, "Requests by layer", "Layer", "Requests", Object.entries(layers).map(([layer, title]) => ({
    key: layer, title, value: counts[layer], text: number(counts[layer]), share: counts[layer] / total,
  })));
}

/** A bar of the store's parts, up to the quota, and its legend. */
export function showStorage(box, storage) {
  if (!storage) return showHint(box, "The sizes can't be read now.");
  const used = sum(storage.parts.map(({ byteCount }) => byteCount));
  const whole = Math.max(used, storage.quota ?? 0, 1);
  const items = storage.parts.map(({ kind, byteCount }) => ({
    key: kind, title: parts[kind] ?? kind, value: byteCount, text: bytes(byteCount), share: byteCount / whole,
  }));
  if (storage.quota && storage.quota > used) {
    const free = storage.quota - used;
    items.push({ key: "free", title: "Free, up to the quota", value: free, text: bytes(free), share: free / whole });
  }
  showBar(box, "What the store takes", "Part", "Size", items);
}

/** A stacked bar for the eyes, and a table with the same numbers for everyone. */
function showBar(box, caption, title, unit, items) {
  const shown = items.filter(({ value }) => value > 0);
  if (!box.querySelector(".bar")) {
    const table = makeTable(caption, [[title], [unit, "number"], ["Share", "number"]], []);
    table.className = "legend";
    box.replaceChildren(make("div.bar", { "aria-hidden": "true" }), table);
  }
  reconcile(box.querySelector(".bar"), shown, ({ key }) => key,
    ({ key }) => make(`span.${key}`),
    (segment, { share }) => segment.style.setProperty("flex-grow", String(Math.max(share, 0.004))));
  reconcile(box.querySelector("tbody"), shown, ({ key }) => key,
    ({ key }) => make("tr", {},
      make("th", { scope: "row" }, make(`span.swatch.${key}`, { "aria-hidden": "true" }), make("span.name")),
      make("td.number"), make("td.number")),
    (row, item) => {
      setText(row.querySelector(".name"), item.title);
      setText(row.children[1], item.text);
      setText(row.children[2], percentage(item.share));
    });
}

/** The files that bundles lack. */
export function showMisses(box, usage) {
  if (!usage) return showHint(box, "This server counts no statistics.");
  if (usage.misses.length === 0) return showHint(box, "The bundles had every file that was asked for.");
  if (!box.querySelector("table")) {
    box.replaceChildren(
      makeTable("Files that bundles and the cache lacked", [["File"], ["Bundle"], ["Requests", "number"]], []),
      make("p.hint"));
  }
  reconcile(box.querySelector("tbody"), usage.misses, ({ name, path }) => `${name}/${path}`,
    ({ name, path }) => make("tr", {}, make("th.path", { scope: "row" }, path), make("td", {}, name), make("td.number")),
    (row, { count }) => setText(row.children[2], number(count)));
  setText(box.querySelector(".hint"), `${counted(usage.missCount, "request")} in all were for files that a bundle would have.`);
}

/** What was seen of origins. */
export function showOrigins(box, origins) {
  if (!box.querySelector("table")) {
    box.replaceChildren(makeTable("Origins since the server's start", [["Origin"], ["State"], ["Failures", "number"]], []));
  }
  const states = { closed: "responds", open: "out", "half-open": "is asked again" };
  reconcile(box.querySelector("tbody"), origins, ({ origin }) => origin,
    ({ origin }) => make("tr", {},
      make("th", { scope: "row" }, make("span.path", {}, origin), make("p.detail", { hidden: true })),
      make("td"), make("td.number")),
    (row, { state, responseCount, failureCount, failure }) => {
      const detail = row.querySelector(".detail");
      detail.hidden = state === "closed" || !failure;
      setText(detail, failure ?? "");
      setText(row.children[1], states[state] ?? state);
      setText(row.children[2], `${number(failureCount)} of ${number(failureCount + responseCount)}`);
    });
}

const kinds = {
  checked: ["Checked", "quiet"],
  decided: ["Chosen", "quiet"],
  fetched: ["Fetched", "quiet"],
  installed: ["Installed", "plain"],
  activated: ["Activated", "good"],
  confirmed: ["Confirmed", "good"],
  markedBad: ["Marked bad", "bad"],
  rolledBack: ["Rolled back", "warn"],
  revoked: ["Revoked", "bad"],
  failed: ["Failed", "bad"],
  reported: ["Page error", "warn"],
};

/** The events, the latest first. */
export function showHistory(list, events) {
  reconcile(list, events, ({ number }) => number, createEvent, (item, { date }) => setTime(item.querySelector("time"), date));
}

function createEvent(event) {
  const [title, tone] = kinds[event.kind] ?? [event.kind, "plain"];
  const versions = event.previous && event.previous !== event.version
    ? `${event.previous} → ${event.version ?? "none"}` : event.version ?? "";
  const facts = [
    event.plan && `by ${event.plan}`,
    event.receivedByteCount !== undefined && `${bytes(event.receivedByteCount)} received`,
    event.detail,
  ].filter(Boolean).join(" · ");
  return make("li", {},
    make(`span.pill.${tone}`, {}, title),
    make("div", {},
      make("p", {}, make("strong", {}, event.name), " ", make("span.version", {}, versions)),
      facts ? make("p.detail", {}, facts) : null),
    makeTime(event.date));
}

function showHint(box, text) {
  if (box.children.length === 1 && box.firstElementChild.className === "hint") setText(box.firstElementChild, text);
  else box.replaceChildren(make("p.hint", {}, text));
}

const sum = (values) => values.reduce((total, value) => total + value, 0);
