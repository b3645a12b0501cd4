// Numbers, sizes and times for people. Pure, but for the clock's offset.

const units = ["KB", "MB", "GB", "TB", "PB"];

/** A size in powers of 1000: `512 B`, `8.6 MB`. */
export function bytes(count) {
  if (count < 1000) return `${count} B`;
  let value = count;
  let unit = "";
  for (unit of units) {
    value /= 1000;
    if (value < 999.5) break;
  }
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

const grouped = new Intl.NumberFormat("en");

/** A number with its thousands apart. */
export const number = (value) => grouped.format(value);

/** A number of things: `1 request`, `2 requests`. */
export const counted = (value, one, many = `${one}s`) => `${number(value)} ${value === 1 ? one : many}`;

/** A share from 0 to 1 in hundredths, never 100 % or 0 % for what is almost that. */
export function percentage(share) {
  const tenths = share * 1000;
  const value = tenths >= 999.5 && share < 1 ? 99.9 : tenths > 0 && tenths < 1 ? 0.1 : tenths / 10;
  return `${value === 100 || value === 0 ? value : value.toFixed(1)} %`;
}

/** How far the server's clock is ahead of this one, in seconds. */
let offset = 0;

/** Takes the server's time from its `Date`. */
export function setClock(date) {
  const time = Date.parse(date);
  if (Number.isFinite(time)) offset = time / 1000 - Date.now() / 1000;
}

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const steps = [
  ["day", 86400],
  ["hour", 3600],
  ["minute", 60],
];

/** A time as seen from now: `5 minutes ago`. */
export function ago(seconds) {
  const passed = seconds - (Date.now() / 1000 + offset);
  for (const [unit, length] of steps) {
    if (Math.abs(passed) >= length) return relative.format(Math.trunc(passed / length), unit);
  }
  return passed > 5 ? "in a moment" : "just now";
}

const exact = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium" });

/** A time in full. */
export const moment = (seconds) => exact.format(seconds * 1000);

/** A duration in its largest unit: `15 min`. */
export function duration(seconds) {
  for (const [name, length] of [["d", 86400], ["h", 3600], ["min", 60]]) {
    if (seconds >= length && seconds % length === 0) return `${seconds / length} ${name}`;
  }
  return `${seconds} s`;
}
