// Writes llms.txt, an index of the documents for language models (llmstxt.org). The pages are in the package, beside it.
import { readdir, readFile, writeFile } from "node:fs/promises";

const docs = (await readdir("docs")).filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`);
const names = ["README.md", ...docs.toSorted(), "examples/README.md"];
const [readme, ...pages] = await Promise.all(names.map(async (name) => ({ name, text: await readFile(name, "utf8") })));

/** The first paragraph, in one line. Its links are those of another directory: their texts are left. */
const summaryOf = (text) =>
  text
    .split("\n\n")[1]
    .replaceAll("\n", " ")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
const linkOf = ({ name, text }) => `- [${/^# (.*)$/m.exec(text)[1]}](${name}): ${summaryOf(text)}`;

await writeFile(
  "llms.txt",
  `# svc-identity\n\n> ${summaryOf(readme.text)}\n\n## Documents\n\n${pages.map(linkOf).join("\n")}\n`,
);
