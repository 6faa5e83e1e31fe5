import { pageFile } from "./style.ts";

/** Filters the accounts while the user types, and moves the focus by arrow keys and Escape. The page works without it. */
export const PICKER_SCRIPT = pageFile(
  "picker",
  "js",
  `
const field = document.querySelector("[type=search]");
const main = document.querySelector("main");
const found = document.getElementById("found");
const count = document.getElementById("count");
const other = document.querySelector("details");
let asked = 0;
let timer;

// The page contains the sealed request, so the state can be removed from the address.
if (new URLSearchParams(location.search).has("state")) {
  const query = new URLSearchParams({ request: field.form.elements.request.value });
  if (field.value !== "") query.set("q", field.value);
  history.replaceState(null, "", "?" + query);
}

async function filter() {
  const number = ++asked;
  keepPlace();
  const query = new URLSearchParams({ request: field.form.elements.request.value, q: field.value });
  const response = await fetch("accounts?" + query);
  if (!response.ok) return field.form.submit();
  const text = await response.text();
  if (number !== asked) return;
  replaceList(text);
  const shown = found.querySelectorAll("li").length;
  count.textContent = shown + (shown === 1 ? " account shown" : " accounts shown");
}

// The page is centred: without this, the field would move when the list gets shorter.
function keepPlace() {
  const { style } = document.body;
  if (style.alignItems) return;
  style.paddingTop = main.offsetTop + "px";
  style.alignItems = "start";
}

// What is below the list stays where it is, unless the list gets less than half as high.
function replaceList(text) {
  const { style } = found;
  const height = found.offsetHeight;
  style.minHeight = "";
  found.innerHTML = text;
  if (found.offsetHeight * 2 > height) style.minHeight = height + "px";
}

function move(step) {
  const stops = [field, ...found.querySelectorAll("button, a")];
  const at = stops.indexOf(document.activeElement);
  stops[Math.min(Math.max(at + step, 0), stops.length - 1)].focus();
}

field.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(filter, 80);
});
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    move(event.key === "ArrowDown" ? 1 : -1);
  }
  if (event.key !== "Escape") return;
  event.preventDefault();
  if (other.open) other.open = false;
  else if (field.value !== "") {
    field.value = "";
    filter();
  }
  field.focus();
});
`,
);

/** Removes the token from the address and the history, and copies it on request. */
export const SIGNED_IN_SCRIPT = pageFile(
  "signed-in",
  "js",
  `
history.replaceState(null, "", location.pathname);
const token = document.getElementById("token");
const button = document.getElementById("copy");
if (button) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    token.select();
    await navigator.clipboard.writeText(token.value).catch(() => document.execCommand("copy"));
    button.textContent = "Copied";
  });
}
`,
);
