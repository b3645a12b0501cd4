// The bundles, their versions, and what can be done to them.

import { icon } from "./connection.js";
import { make, makeTime, reconcile, setAttribute, setText, setTime } from "./elements.js";
import { bytes } from "./format.js";

/**
 * Shows the bundles. Elements stay those of their bundle and version, so that focus and selection do.
 *
 * @param run Called with the action that a button is for, and the bundle, the version and the question to ask before.
 */
export function showBundles(list, bundles, run) {
  reconcile(list, bundles, ({ name }) => name,
    (bundle) => createBundle(bundle, run), (card, bundle) => updateBundle(card, bundle, run));
}

/** A button for an action. Its name for screen readers says what it is about. */
function createButton(action, run) {
  const button = make("button", { type: "button", "data-action": action, hidden: true });
  button.addEventListener("click", () => {
    if (button.getAttribute("aria-disabled") !== "true") run(action, button.subject, button);
  });
  return button;
}

/**
 * @param subject What the action is about: `name`, `version`, and `question` if it has to be confirmed.
 * @param options Whether it is offered, and whether it waits for something.
 */
function updateButton(button, text, label, subject, { isOffered = true, isWaiting = false, isPrimary = false } = {}) {
  button.subject = subject;
  button.hidden = !isOffered;
  setText(button, text);
  setAttribute(button, "aria-label", label);
  // Not disabled, which would take the focus away.
  setAttribute(button, "aria-disabled", isWaiting || button.isBusy ? "true" : null);
  button.classList.toggle("primary", isPrimary);
}

function createBundle(bundle, run) {
  const actions = ["update", "check", "rollback", "hold", "unhold"].map((action) => createButton(action, run));
  return make("li.card.bundle", { tabindex: "-1" },
    make("div.head", {},
      make("span.icon", { "aria-hidden": "true" }, bundle.name.slice(0, 1).toUpperCase()),
      make("div.title", {},
        make("h3", {}, make("a", { target: "_blank", rel: "noopener noreferrer" }, bundle.name), " ", make("span.version")),
        make("p.pills")),
      make("div.actions", { role: "group", "aria-label": `Actions for ${bundle.name}` }, ...actions)),
    make("div.job", { hidden: true }, make("progress", { max: 100 }), make("span.text")),
    make("p.problem", { hidden: true }),
    make("table.versions", {},
      make("caption.quiet-caption", {}, `Versions of ${bundle.name}`),
      make("thead", {}, make("tr", {},
        make("th", { scope: "col" }, "Version"), make("th", { scope: "col" }, "State"),
        make("th.number", { scope: "col" }, "Size"), make("th.when", { scope: "col" }, "Installed"),
        make("th", { scope: "col" }, make("span.hidden", {}, "Actions")))),
      make("tbody")),
    make("p.hint.more", { hidden: true }),
    make("p.feed"));
}

function updateBundle(card, bundle, run) {
  showIcon(card, bundle);
  const link = card.querySelector("h3 a");
  setAttribute(link, "href", bundle.address);
  setText(card.querySelector("h3 .version"), bundle.serving ?? "");
  showPills(card.querySelector(".pills"), bundle);
  updateActions(card, bundle);
  updateJob(card.querySelector(".job"), bundle);
  const problem = card.querySelector(".problem");
  problem.hidden = !bundle.failure;
  setText(problem, bundle.failure ? `The last check has failed: ${bundle.failure}` : "");
  reconcile(card.querySelector("tbody"), bundle.versions, ({ version }) => version,
    (version) => createVersion(version, run), (row, version) => updateVersion(row, version, bundle));
  const more = card.querySelector(".more");
  const rest = bundle.versionCount - bundle.versions.length;
  more.hidden = rest <= 0;
  setText(more, `And ${rest} more versions.`);
  showFeed(card.querySelector(".feed"), bundle);
}

async function showIcon(card, { name, iconID }) {
  if (card.dataset.icon === (iconID ?? "")) return;
  card.dataset.icon = iconID ?? "";
  const place = card.querySelector(".icon");
  const url = iconID ? await icon(name).catch(() => undefined) : undefined;
  if (card.dataset.icon !== (iconID ?? "")) return;
  place.replaceChildren(url ? make("img", { src: url, alt: "", width: 44, height: 44 }) : name.slice(0, 1).toUpperCase());
  place.classList.toggle("picture", Boolean(url));
}

function showPills(box, bundle) {
  const modes = { "next-start": "at the next start", "when-idle": "when it is idle" };
  const pills = [
    bundle.trouble ? ["bad", bundle.trouble] : ["good", "active"],
    bundle.isOnProbation && ["warn", "to be confirmed"],
    bundle.pending && ["plain", `${bundle.pending.version} becomes active ${modes[bundle.pending.mode] ?? "later"}`],
    bundle.available && bundle.available !== bundle.pending?.version && ["accent", `${bundle.available} is available`],
    bundle.isOnHold && ["warn", "on hold"],
    !bundle.isOnHold && bundle.held && ["warn", `held back up to ${bundle.held}`],
    bundle.signedBy && ["plain", `signed by sha256:${bundle.signedBy.slice(0, 8)}…`, `The publisher's root has SHA-256 ${bundle.signedBy}`],
  ].filter(Boolean);
  reconcile(box, pills, ([, text]) => text, () => make("span"), (pill, [tone, text, title]) => {
    pill.className = `pill ${tone}`;
    setText(pill, text);
    setAttribute(pill, "title", title);
  });
}

function updateActions(card, bundle) {
  const { name, active, rollback, available } = bundle;
  const button = (action) => card.querySelector(`.actions [data-action=${action}]`);
  const canUpdate = !bundle.updateObstacle;
  const isWaiting = Boolean(bundle.job);
  const target = available ? ` to ${available}` : "";
  updateButton(button("update"), `Update${target}`, `Update ${name}${target}`, { name },
    { isOffered: canUpdate, isWaiting, isPrimary: Boolean(available) && !bundle.isOnHold });
  updateButton(button("check"), "Check", `Check ${name} for updates`, { name }, { isOffered: canUpdate, isWaiting });
  updateButton(button("rollback"), "Roll back", `Roll ${name} back to ${rollback}`,
    {
      name, version: rollback,
      question: {
        title: `Roll ${name} back?`,
        text: `${rollback} becomes active in place of ${active}. What was cached under ${active} is dropped, and updates then take only what exceeds it.`,
        confirm: `Roll back to ${rollback}`,
      },
    },
    { isOffered: Boolean(rollback), isWaiting });
  updateButton(button("hold"), "Hold", `Put ${name} on hold: updates leave it as it is`, { name }, { isOffered: !bundle.isOnHold });
  updateButton(button("unhold"), bundle.isOnHold ? "End hold" : "Take updates again",
    bundle.isOnHold ? `End the hold of ${name}` : `Let updates return ${name} to ${bundle.held}`, { name },
    { isOffered: bundle.isOnHold || Boolean(bundle.held) });
}

function updateJob(box, { name, job }) {
  box.hidden = !job;
  if (!job) return;
  const bar = box.querySelector("progress");
  const verb = job.kind === "check" ? "Checking" : "Updating";
  if (job.percentage === undefined) bar.removeAttribute("value");
  else bar.value = job.percentage;
  setAttribute(bar, "aria-label", `${verb} ${name}`);
  setText(box.querySelector(".text"), job.percentage === undefined ? `${verb} …` : `${verb}, ${job.percentage} %`);
}

function createVersion({ version, installedAt }, run) {
  return make("tr", {},
    make("th", { scope: "row" }, version),
    make("td.state", {}, make("span"), make("span.small-size")), make("td.number"), make("td.when", {}, makeTime(installedAt)),
    make("td.actions", {}, ...["mark-good", "mark-bad", "activate", "pin", "unpin"].map((action) => createButton(action, run))));
}

function updateVersion(row, release, bundle) {
  const { version, state, isPinned, isLower } = release;
  const { name, active } = bundle;
  const [text, size] = row.querySelector(".state").children;
  setText(text, stateText(release, bundle));
  setText(size, bytes(release.byteCount));
  row.classList.toggle("current", version === bundle.serving);
  setText(row.querySelector(".number"), bytes(release.byteCount));
  setTime(row.querySelector("time"), release.installedAt);
  const button = (action) => row.querySelector(`[data-action=${action}]`);
  updateButton(button("activate"), "Activate", `Activate ${name} ${version}`,
    {
      name, version,
      question: isLower && {
        title: `Activate ${name} ${version}?`,
        text: `It is lower than ${active}, which is active now. What was cached under ${active} is dropped, and updates then take only what exceeds it.`,
        confirm: `Activate ${version}`,
      },
    },
    { isOffered: state !== "active" && !release.isDamaged });
  updateTrialButtons(button, release, bundle);
  updateButton(button("pin"), "Pin", `Pin ${name} ${version}: it stays until it is unpinned`, { name, version }, { isOffered: !isPinned });
  updateButton(button("unpin"), "Unpin", `Unpin ${name} ${version}`, { name, version }, { isOffered: isPinned });
}

/** A release on trial waits for the word of somebody that it works, or doesn't. */
function updateTrialButtons(button, { version }, { name, active, isOnProbation }) {
  const isOffered = isOnProbation && version === active;
  updateButton(button("mark-good"), "Confirm", `Confirm that ${name} ${version} works`, { name, version },
    { isOffered, isPrimary: true });
  updateButton(button("mark-bad"), "Mark bad", `Mark ${name} ${version} bad`,
    {
      name, version,
      question: {
        title: `Mark ${name} ${version} bad?`,
        text: "The last version that is known to work becomes active in its place, if there is one. No rollback leads to this one then, and updates take only what exceeds it.",
        confirm: `Mark ${version} bad`,
      },
    },
    { isOffered });
}

function stateText(release, { serving, active, isOnProbation }) {
  return [
    release.state,
    isOnProbation && release.version === active && "to be confirmed",
    release.version === serving && serving !== active && "served in its place",
    release.isPinned && "pinned",
    release.isSeed && "shipped",
    release.isDamaged && "damaged",
    release.withdrawn && `not used: ${release.withdrawn}`,
  ].filter(Boolean).join(", ");
}

function showFeed(line, { feed, updateObstacle, checkedAt }) {
  if (!line.firstChild) line.append(make("span"), make("span.checked", {}, ", checked ", makeTime(0)));
  setText(line.firstChild, feed ? `Feed ${feed}` : `Can't be updated: ${updateObstacle}`);
  line.lastChild.hidden = !checkedAt;
  if (checkedAt) setTime(line.querySelector("time"), checkedAt);
}
