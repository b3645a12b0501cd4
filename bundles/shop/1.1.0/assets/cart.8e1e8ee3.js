import { h, price } from "./dom.13499045.js";

const wasmURL = new URL("./cart.ce8523c0.wasm", import.meta.url);
const storageKey = "pier-nine.cart";

/** What the customer has picked. The WebAssembly module makes the sums, in cents, so that nothing is rounded twice. */
export class Cart extends EventTarget {
  #calculator;
  #products;
  #quantities;

  /** Loads the calculator, and the quantities that an earlier page of this visit left behind. */
  static async open(products) {
    const { instance } = await WebAssembly.instantiateStreaming(fetch(wasmURL));
    return new Cart(instance.exports, products);
  }

  constructor(calculator, products) {
    super();
    this.#calculator = calculator;
    this.#products = new Map(products.map((product) => [product.id, product]));
    const saved = JSON.parse(sessionStorage.getItem(storageKey) ?? "[]");
    this.#quantities = new Map(saved.filter(([id]) => this.#products.has(id)));
  }

  get lines() {
    return [...this.#quantities].map(([id, quantity]) => ({ product: this.#products.get(id), quantity }));
  }

  get count() {
    return this.lines.reduce((sum, line) => sum + line.quantity, 0);
  }

  get sums() {
    const lines = this.lines;
    const numbers = lines.flatMap(({ product, quantity }) => [product.price, quantity]);
    new Uint32Array(this.#calculator.memory.buffer, 0, numbers.length).set(numbers);
    const subtotal = this.#calculator.subtotal(0, lines.length);
    const discount = this.#calculator.discount(subtotal);
    return { subtotal, discount, total: subtotal - discount };
  }

  add(id, change = 1) {
    const quantity = Math.min((this.#quantities.get(id) ?? 0) + change, 99);
    if (quantity > 0) this.#quantities.set(id, quantity);
    else this.#quantities.delete(id);
    sessionStorage.setItem(storageKey, JSON.stringify([...this.#quantities]));
    this.dispatchEvent(new Event("change"));
  }
}

/** Keeps the cart's dialog and the number on its button in step with `cart`. */
export function showCart(cart, { dialog, button, count }) {
  const update = () => {
    count.value = cart.count;
    dialog.replaceChildren(...cartContent(cart, dialog));
  };
  cart.addEventListener("change", update);
  button.addEventListener("click", () => dialog.showModal());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  update();
}

function cartContent(cart, dialog) {
  const close = button("✕", "Close", () => dialog.close());
  const head = h("header", {}, h("h2", {}, "Your cart"), close);
  if (cart.count === 0) return [head, h("p", { class: "hint" }, "Nothing here yet. The kettle is on, take your time.")];
  const { subtotal, discount, total } = cart.sums;
  return [
    head,
    h("ul", {}, ...cart.lines.map((line) => cartLine(cart, line))),
    h(
      "dl",
      {},
      ...sumRow("Goods", price(subtotal)),
      ...(discount > 0 ? sumRow("Ten per cent off from €60", price(-discount)) : []),
      ...sumRow("Total", price(total, "strong")),
    ),
  ];
}

function cartLine(cart, { product, quantity }) {
  return h(
    "li",
    {},
    h("span", {}, product.name),
    button("−", `One ${product.name} less`, () => cart.add(product.id, -1)),
    h("span", { class: "price" }, String(quantity)),
    button("+", `One ${product.name} more`, () => cart.add(product.id, 1)),
    price(product.price * quantity),
  );
}

const button = (text, label, click) =>
  h("button", { class: "quiet", type: "button", "aria-label": label, click }, text);
const sumRow = (label, value) => [h("dt", {}, label), h("dd", {}, value)];
