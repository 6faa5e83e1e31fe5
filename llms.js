// Writes llms.txt, an index of the documents for language models (llmstxt.org), and llms-full.txt, all of them in one file.
import { readdir, readFile, writeFile } from "node:fs/promises";

const DOCS = "https://github.com/svc-identity/svc/blob/main/";
const FIRST = ["README.md", "docs/agents.md"];
/** For people who work on svc, and what other pages repeat. */
const LEFT_OUT = ["docs/architecture.md", "docs/store-format.md"];

const docs = (await readdir("docs")).filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`);
const names = [...new Set([...FIRST, ...docs.toSorted(), "examples/README.md"])];
const pages = await Promise.all(
  names.filter((name) => !LEFT_OUT.includes(name)).map(async (name) => ({ name, text: await readFile(name, "utf8") })),
);

/** The first paragraph, in one line. */
const summaryOf = (text) => text.split("\n\n")[1].replaceAll("\n", " ");
const sectionsOf = (text) => [...text.matchAll(/^## (.*)$/gm)].map(([, title]) => title).join("; ");
const linkOf = ({ name, text }) =>
  [`- [${titleOf(text)}](${DOCS}${name})`, sectionsOf(text)].filter(Boolean).join(": ");
const titleOf = (text) => /^# (.*)$/m.exec(text)[1];

const [{ text: readme }, ...others] = pages;
await writeFile(
  "llms.txt",
  `# svc-identity\n\n> ${summaryOf(readme)}\n\n## Documents\n\n${others.map(linkOf).join("\n")}\n`,
);
await writeFile("llms-full.txt", pages.map(({ name, text }) => `<!-- ${name} -->\n\n${text}`).join("\n\n"));
