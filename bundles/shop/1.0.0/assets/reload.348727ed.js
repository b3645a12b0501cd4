// Offers to reload when another release is active. Only an endpoint says in Server-Timing which one this page is of.
const [navigation] = performance.getEntriesByType("navigation");
const timing = navigation?.serverTiming?.find(({ name }) => name === "bundle");
const [bundle, version] = timing?.description.split("@") ?? [];
const button = document.querySelector("[data-reload]");
button.addEventListener("click", () => location.reload());
if (version) {
  new EventSource(`/.bundles/${bundle}/events`).onmessage = ({ data }) => {
    button.hidden = JSON.parse(data).active === version;
  };
}
