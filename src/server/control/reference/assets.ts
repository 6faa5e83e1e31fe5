import { TOKENS } from "../../http/pages/tokens.ts";

/** Wide, the routes are beside the reference and each call beside what it does; narrow, everything is below each other. */
export const STYLE = `${TOKENS}
*{box-sizing:border-box}
html{font:87.5%/1.5 var(--sans);-webkit-text-size-adjust:100%;scroll-padding-top:var(--space-5)}
body{margin:0;background:var(--page);color:var(--text);overflow-wrap:anywhere}
:where(h1,h2,h3,h4,p,ul,dl,dd,pre,figure){margin:0;padding:0}
a{color:var(--accent);text-decoration:none}a:hover{text-decoration:underline}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
[hidden]{display:none!important}
code,pre{font:var(--tiny)/1.6 var(--mono)}
small,.does+p{color:var(--muted)}
.skip{position:absolute;inset-inline-start:-999px}.skip:focus{inset-inline-start:var(--space-3);top:var(--space-3);padding:var(--space-3);background:var(--panel);z-index:1}
aside{padding:var(--space-5);background:var(--panel);border-bottom:1px solid var(--line)}
.brand{display:flex;gap:var(--space-3);align-items:center;margin-bottom:var(--space-4)}
.brand span{display:grid;place-items:center;width:24px;height:24px;border-radius:var(--radius-small);background:#3350e8;color:#fff;font-weight:var(--bold)}
.brand a{color:inherit;font-weight:var(--bold)}
input{width:100%;font:inherit;color:inherit;background:var(--panel);border:1px solid var(--control);border-radius:var(--radius-small);padding:var(--space-3) var(--space-4)}
::placeholder{color:var(--muted);opacity:1}
#found{color:var(--muted);font-size:var(--small)}#found:not(:empty){padding-top:var(--space-3)}
nav{max-height:16rem;overflow:auto;margin-top:var(--space-4)}
nav h2{font-size:1rem;font-weight:var(--bold);padding-top:var(--space-4)}
nav h2:first-child{padding:0}
nav h3{font-size:var(--tiny);font-weight:var(--bold);color:var(--muted);padding-top:var(--space-4)}
nav ul{list-style:none}
nav a{display:flex;gap:var(--space-3);align-items:baseline;padding:var(--space-2) var(--space-3);margin:0 calc(-1*var(--space-3));border-radius:var(--radius-small);color:var(--text);font-size:var(--small)}
nav a:hover{background:var(--hover);text-decoration:none}
nav a[aria-current]{background:var(--accent-soft);color:var(--accent)}
.method{flex:none;font:var(--bold) .786rem/1.5 var(--mono);color:var(--muted)}
nav .method{width:3.4rem}
.method.get{color:var(--accent)}.method.post{color:var(--good)}.method:is(.put,.patch){color:var(--warn)}.method.delete{color:var(--bad)}
main{display:grid;gap:var(--space-6);min-width:0;padding:var(--space-6) var(--space-5)}
main p a{text-decoration:underline}
main p{max-width:48rem;text-wrap:pretty}
header,section{display:grid;gap:var(--space-4);min-width:0;grid-template-columns:minmax(0,1fr)}
h1{font-size:1.714rem;line-height:1.3;letter-spacing:-.015em}
main h2{font-size:1.286rem;padding-top:var(--space-4)}
h1,h2,h3,h4{font-weight:var(--bold)}
article{min-width:0;background:var(--panel);border:1px solid var(--line);border-radius:var(--radius);padding:var(--space-5);scroll-margin-top:var(--space-4)}
article:target{border-color:var(--accent)}
article h3{display:flex;flex-wrap:wrap;gap:var(--space-3);align-items:baseline;font-size:1rem}
article h3 code{font-size:1rem}article h3 .method{font-size:1rem}
.anchor{padding:0 var(--space-2);color:var(--muted)}
.columns{display:grid;gap:var(--space-5);margin-top:var(--space-3);grid-template-columns:minmax(0,1fr)}
.columns>div{display:grid;gap:var(--space-3);align-content:start;min-width:0;grid-template-columns:minmax(0,1fr)}
h4{font-size:var(--small);padding-top:var(--space-3)}
figure,article pre{min-width:0}
pre{overflow:auto;padding:var(--space-4);border:1px solid var(--line);border-radius:var(--radius-small);background:var(--page);white-space:pre-wrap}
pre i{font-style:normal;color:var(--muted)}pre q,.type{quotes:none;color:var(--good)}
figcaption{display:flex;justify-content:space-between;align-items:center;min-height:28px;font-size:var(--small);color:var(--muted)}
button{font:var(--small)/1.4 var(--sans);color:var(--text);background:none;border:1px solid transparent;border-radius:var(--radius-small);padding:var(--space-1) var(--space-3);cursor:pointer}
button:hover{background:var(--hover);border-color:var(--line)}
dl{display:grid;grid-template-columns:auto minmax(0,1fr);gap:var(--space-2) var(--space-5)}
dt{color:var(--muted);font-variant-numeric:tabular-nums}.fields dt code{color:var(--text)}
dd{max-width:40rem}
.fields dd{color:var(--muted)}
summary{cursor:pointer;padding:var(--space-2) 0;font-size:var(--small);font-weight:var(--bold);border-radius:var(--radius-small)}
summary span{font-weight:400;color:var(--muted)}
@media (min-width:600px){.fields{grid-template-columns:minmax(9rem,auto) minmax(0,1fr)}}
@media (max-width:599px){.fields{grid-template-columns:minmax(0,1fr);gap:0}.fields dd{padding-bottom:var(--space-3)}article{padding:var(--space-4)}}
@media (min-width:960px){body{display:grid;grid-template-columns:20rem minmax(0,1fr)}aside{position:sticky;top:0;height:100vh;display:flex;flex-direction:column;border:0;border-inline-end:1px solid var(--line)}nav{max-height:none;flex:1;padding:0 var(--space-3);margin-inline:calc(-1*var(--space-3))}main{padding:var(--space-6)}}
@media (min-width:1240px){.columns{grid-template-columns:minmax(0,1fr) minmax(0,1fr)}.samples{position:sticky;top:var(--space-5)}section,header{max-width:88rem}}
@media (pointer:coarse){nav a,button,summary{min-height:44px;align-items:center}}
`;

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
