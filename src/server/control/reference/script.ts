/** Searches the routes, copies a sample, and marks the route that is read in the navigation. */
export const SCRIPT = `
const field = document.getElementById("search");
const found = document.getElementById("found");
const articles = [...document.querySelectorAll("article")].map((element) => {
  const link = document.querySelector('nav a[href="#' + element.id + '"]');
  const words = [...element.querySelectorAll("h3 code, h3 b, .does, .fields dt code")].map((each) => each.textContent);
  return { element, link, item: link.parentElement, text: words.join(" ").toLowerCase() };
});
const groups = [...document.querySelectorAll("nav ul, section")];
const isEmpty = (group) => !group.querySelector("li:not([hidden]), article:not([hidden])");

function search() {
  const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let count = 0;
  for (const { element, item, text } of articles) {
    const isFound = words.every((word) => text.includes(word));
    element.hidden = item.hidden = !isFound;
    if (isFound) count++;
  }
  for (const group of groups) {
    group.hidden = isEmpty(group);
    if (group.tagName === "UL") group.previousElementSibling.hidden = group.hidden;
  }
  found.textContent = words.length === 0 ? "" : count === 0 ? "No route matches." : count + (count === 1 ? " route" : " routes");
}

field.hidden = false;
field.addEventListener("input", search);
field.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    field.value = "";
    search();
  }
  if (event.key === "Enter") articles.find(({ element }) => !element.hidden)?.link.click();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target === field || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  field.focus();
});

for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const text = button.closest("figure").querySelector("pre").textContent;
    await navigator.clipboard.writeText(text).then(
      () => (button.textContent = "Copied"),
      () => (button.textContent = "Not copied"),
    );
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
}

const seen = new Set();
const observer = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) seen[isIntersecting ? "add" : "delete"](target);
  const first = articles.find(({ element }) => seen.has(element));
  for (const { link } of articles) link.removeAttribute("aria-current");
  first?.link.setAttribute("aria-current", "true");
  const nav = document.querySelector("nav");
  if (!first || nav.contains(document.activeElement)) return;
  const { offsetTop } = first.link;
  if (offsetTop < nav.scrollTop + nav.offsetTop || offsetTop > nav.scrollTop + nav.offsetTop + nav.clientHeight - 40)
    nav.scrollTop = offsetTop - nav.offsetTop - nav.clientHeight / 3;
}, { rootMargin: "-96px 0px 0px" });
for (const { element } of articles) observer.observe(element);
`;
