import { Cart, showCart } from "./cart.8e1e8ee3.js";
import { h, price } from "./dom.13499045.js";

// The app may be mounted under any path, so every address is made from where this module came from.
const base = new URL("../", import.meta.url);
const view = document.querySelector("[data-view]");

const byNewest = (left, right) => (right.badge === "New") - (left.badge === "New");

async function loadJSON(path, options) {
  const response = await fetch(new URL(path, base), options);
  if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  return response.json();
}

/** The stock lives on the server only: without it the shop still opens. */
async function showStock() {
  const label = document.querySelector("[data-stock]");
  try {
    const { available } = await loadJSON("api/stock.json", { signal: AbortSignal.timeout(10_000) });
    label.textContent = `in stock: ${available}`;
  } catch {
    label.textContent = "in stock: unknown";
  }
}

function card(product, cart) {
  const add = {
    class: "buy",
    type: "button",
    "aria-label": `Add ${product.name} to cart`,
    click: () => cart.add(product.id),
  };
  return h(
    "li",
    { class: "card" },
    h(
      "a",
      { href: new URL(`products/${product.id}`, base) },
      h(
        "div",
        { class: `picture ${product.tint}` },
        product.badge && h("span", { class: "badge" }, product.badge),
        h("img", { src: new URL(product.image, base), width: 240, height: 240, alt: "" }),
      ),
      h("h3", {}, product.name),
      h("p", { class: "hint" }, product.note),
    ),
    h("div", { class: "buy-row" }, price(product.price), h("button", add, "Add")),
  );
}

function homeView(products, cart) {
  const image = new URL("./hero.5f7e7856.png", import.meta.url);
  const hero = h(
    "section",
    { class: "hero" },
    h("img", { src: image, width: 1200, height: 420, alt: "Sunrise over the pier" }),
    h(
      "div",
      {},
      h("h1", {}, "Goods for slow mornings"),
      h("p", {}, "Made along the coast, packed at the end of the pier."),
    ),
  );
  const count = h("p", { class: "hint" }, `${products.length} goods, the newest first`);
  const head = h("div", { class: "section-head" }, h("h2", {}, "On the counter"), count);
  const grid = h("ul", { class: "grid" }, ...products.toSorted(byNewest).map((product) => card(product, cart)));
  return h("div", {}, hero, head, grid);
}

function missingView() {
  return h(
    "section",
    { class: "notice" },
    h("h1", {}, "Out with the tide"),
    h("p", {}, "There is no such product. ", h("a", { href: base }, "See all goods")),
  );
}

/** The view for the address bar: `products/<id>` is one product, everything else the shop window. */
async function currentView(products, cart) {
  const route = location.pathname.slice(base.pathname.length);
  const [, id] = route.match(/^products\/([^/]+)$/) ?? [];
  if (id === undefined || id === "index.html") return ["Pier Nine", homeView(products, cart)];
  const product = products.find((candidate) => String(candidate.id) === id);
  if (!product) return ["Not found · Pier Nine", missingView()];
  const { productView } = await import("./product.2f345bda.js");
  return [`${product.name} · Pier Nine`, productView(product, cart, base)];
}

async function show(products, cart) {
  const [title, content] = await currentView(products, cart);
  document.title = title;
  view.replaceChildren(content);
  // A picture may be missing, for example because the link is metered; the shop opens without it.
  await Promise.allSettled([...document.images].map((image) => image.decode()));
}

/** Follows links inside the shop without loading the page again. */
function followLinks(products, cart) {
  document.addEventListener("click", async (event) => {
    const link = event.target.closest("a[href]");
    const plain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    if (!link || !plain || link.hasAttribute("download") || !link.href.startsWith(base.href)) return;
    event.preventDefault();
    history.pushState(null, "", link.href);
    await show(products, cart);
    scrollTo(0, 0);
  });
  addEventListener("popstate", () => show(products, cart));
}

async function start() {
  const stock = showStock();
  const font = document.fonts.load('1em "Pier Numerals"', "€0123456789");
  const { products } = await loadJSON("data/products.json");
  const cart = await Cart.open(products);
  showCart(cart, {
    dialog: document.querySelector("[data-cart]"),
    button: document.querySelector("[data-cart-open]"),
    count: document.querySelector("[data-cart-count]"),
  });
  await show(products, cart);
  followLinks(products, cart);
  const [faces] = await Promise.all([font, stock]);
  if (faces.length === 0) throw new Error("the numerals did not load");
  document.documentElement.dataset.ready = "true";
}

try {
  await start();
} catch (error) {
  const message = h("p", {}, "The shop could not open. Please reload.");
  view.replaceChildren(h("section", { class: "notice", role: "alert" }, message));
  throw error;
}
