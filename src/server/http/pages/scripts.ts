import { pageFile } from "./style.ts";

/** Moves the focus by arrow keys and Escape, and removes the state from the address. The page works without it. */
export const PICKER_SCRIPT = pageFile(
  "picker",
  "js",
  `
const field = document.querySelector("[type=search]");

// The page contains the sealed request, so the state can be removed from the address.
if (new URLSearchParams(location.search).has("state")) {
  const query = new URLSearchParams({ request: field.form.elements.request.value });
  if (field.value !== "") query.set("q", field.value);
  history.replaceState(null, "", "?" + query);
}

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.key === "Escape") return field.focus();
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const stops = [field, ...document.querySelectorAll("#found button, #found a")];
  const at = stops.indexOf(document.activeElement);
  if (step === undefined || at < 0) return;
  event.preventDefault();
  stops[Math.min(Math.max(at + step, 0), stops.length - 1)].focus();
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
