/** Makes an element: `h("a", { href, class: "card" }, "text", child)`. A function becomes a listener of that event. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

const format = new Intl.NumberFormat("en-IE", { style: "currency", currency: "EUR" });

/** A price in cents, set in the numerals of the shop. */
export function price(cents, name = "span") {
  return h(name, { class: "price" }, format.format(cents / 100));
}
