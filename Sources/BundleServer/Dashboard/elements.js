// Making and changing elements. Texts become text alone: nothing here, or anywhere else, parses markup.

import { ago, moment } from "./format.js";

/** The element with this id. */
export const byID = (id) => document.getElementById(id);

/**
 * Makes an element.
 *
 * @param name Its name, with a class behind a dot: `p.hint`.
 * @param attributes Attributes; those that are undefined, null or false are left out.
 * @param children Elements and texts.
 */
export function make(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag);
  if (classes.length > 0) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) setAttribute(element, key, value);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Sets an attribute if it has another value; removes it for undefined, null and false. */
export function setAttribute(element, name, value) {
  if (value === undefined || value === null || value === false) {
    element.removeAttribute(name);
  } else {
    const text = value === true ? "" : String(value);
    if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  }
}

/** Sets the text if it is another one: a screen reader is told of each change. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** A time, which `refreshTimes` keeps up to date. */
export function makeTime(seconds) {
  const element = make("time");
  setTime(element, seconds);
  return element;
}

export function setTime(element, seconds) {
  setAttribute(element, "datetime", new Date(seconds * 1000).toISOString());
  setAttribute(element, "title", moment(seconds));
  element.dataset.seconds = seconds;
  setText(element, ago(seconds));
}

/** Has every relative time say what is so now. */
export function refreshTimes() {
  for (const element of document.querySelectorAll("time[data-seconds]")) {
    setText(element, ago(Number(element.dataset.seconds)));
  }
}

/**
 * Makes the children of an element those of a list, and keeps the elements of what was in the list before.
 *
 * @param key Tells the items from each other.
 * @param create Makes the element of a new item.
 * @param update Has an element show an item.
 */
export function reconcile(parent, items, key, create, update) {
  const known = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  let place = parent.firstChild;
  for (const item of items) {
    const id = String(key(item));
    let child = known.get(id);
    known.delete(id);
    if (!child) {
      child = create(item);
      child.dataset.key = id;
    }
    if (child === place) place = place.nextSibling;
    else parent.insertBefore(child, place);
    update(child, item);
  }
  for (const child of known.values()) child.remove();
}

/** Runs what changes the page, and keeps the focus where it was, or close to that. */
export function keepingFocus(change) {
  const focused = document.activeElement;
  const ancestors = [];
  for (let element = focused?.parentElement; element; element = element.parentElement) ancestors.push(element);
  change();
  if (!focused || focused === document.body || document.activeElement === focused && focused.checkVisibility()) return;
  const target = focused.isConnected && focused.checkVisibility()
    ? focused
    : ancestors.find((element) => element.isConnected && element.tabIndex === -1 && element.hasAttribute("tabindex"));
  target?.focus({ preventScroll: true });
}

/** A table with a caption for screen readers. Cells are texts or elements; numbers are aligned by the column's class. */
export function makeTable(caption, columns, rows) {
  const head = make("tr", {}, ...columns.map(([title, kind]) => make(kind ? `th.${kind}` : "th", { scope: "col" }, title)));
  const body = rows.map((cells) =>
    make("tr", {}, ...cells.map((cell, index) => {
      const kind = columns[index][1];
      return index === 0
        ? make(kind ? `th.${kind}` : "th", { scope: "row" }, cell)
        : make(kind ? `td.${kind}` : "td", {}, cell);
    })));
  return make(
    "table", {},
    make("caption.quiet-caption", {}, caption), make("thead", {}, head), make("tbody", {}, ...body));
}
