import { h, price } from "./dom.13499045.js";

/** The page of one product: picture, story, price. */
export function productView(product, cart, base) {
  return h(
    "article",
    { class: "product" },
    h(
      "div",
      { class: `picture ${product.tint}` },
      h("img", { src: new URL(product.image, base), width: 240, height: 240, alt: product.name }),
    ),
    h(
      "div",
      {},
      h("a", { class: "back", href: new URL("./", base) }, "← All goods"),
      h("h1", {}, product.name),
      h("p", { class: "hint" }, product.note),
      h("p", {}, product.text),
      h("p", { class: "large" }, price(product.price)),
      h("button", { class: "buy", type: "button", click: () => cart.add(product.id) }, "Add to cart"),
    ),
  );
}
