import { hash } from "node:crypto";
import { TOKENS } from "./tokens.ts";

export interface PageFile {
  /** With a hash of the text: a browser may keep the file, and asks for another one when it has changed. */
  readonly path: string;
  readonly type: string;
  readonly text: string;
}

export const PAGE_FILES_ROUTE = "/__svc/pages/:file";
const TYPES = { css: "text/css; charset=utf-8", js: "text/javascript; charset=utf-8" };

export function pageFile(name: string, extension: keyof typeof TYPES, text: string): PageFile {
  const file = `${name}.${hash("sha256", text).slice(0, 16)}.${extension}`;
  return { path: PAGE_FILES_ROUTE.replace(":file", file), type: TYPES[extension], text };
}

export const STYLE = pageFile(
  "style",
  "css",
  `${TOKENS}
*{box-sizing:border-box}
html{font:100%/1.5 var(--sans);-webkit-text-size-adjust:100%}
body{margin:0;min-height:100vh;min-height:100dvh;display:grid;place-items:center;padding:24px 16px;background:var(--page);color:var(--text)}
main{width:100%;max-width:440px;background:var(--panel);border:1px solid var(--line);border-radius:var(--radius-large);box-shadow:var(--shadow);padding:28px}
main.wide{max-width:720px}
h1{font-size:1.375rem;line-height:1.25;letter-spacing:-.015em;margin:0;text-wrap:balance;overflow-wrap:anywhere}
h2{font-size:1rem;margin:0;overflow-wrap:anywhere}
p{margin:0;color:var(--muted);text-wrap:pretty;overflow-wrap:anywhere}
p b,bdi{color:var(--text);font-weight:var(--bold);unicode-bidi:isolate}
a{color:var(--accent)}
code{font:.8125rem/1.5 var(--mono);overflow-wrap:anywhere}
pre{margin:0;padding:12px 14px;border-radius:var(--radius);background:var(--hover);white-space:pre-wrap}
header{display:grid;gap:6px;margin-bottom:20px}
.bar{display:flex;align-items:center;justify-content:space-between;gap:12px;margin-bottom:14px}
.mark{width:44px;height:44px;border-radius:var(--radius);display:grid;place-items:center;font-weight:var(--bold);font-size:1.0625rem;color:#fff;background:#3350e8}
.mark.bad{background:#b3261e}.mark.logo{background:none;border:1px solid var(--line);color:var(--text)}
.logo svg{width:24px;height:24px;display:block}
.pill{font-size:.75rem;font-weight:var(--bold);padding:3px 10px;border-radius:99px;background:var(--hover);color:var(--muted);white-space:nowrap}
.pill.warn{background:var(--warn-soft);color:var(--warn)}.pill.bad{background:var(--bad-soft);color:var(--bad)}.pill.good{background:var(--good-soft);color:var(--good)}
.list{list-style:none;margin:6px -12px 0;padding:0}
.row{display:flex;align-items:center;gap:14px;width:100%;padding:9px 12px;border:0;border-radius:var(--radius);background:none;color:inherit;font:inherit;text-align:start;cursor:pointer}
.row:hover{background:var(--hover)}
.row>span{min-width:0;flex:1;display:grid}
.row b,.row small{overflow:hidden;text-overflow:ellipsis;white-space:nowrap;unicode-bidi:plaintext;text-align:left}
.row b{font-weight:var(--bold)}.row small{color:var(--muted);font-size:.875rem}
.row small.warn{color:var(--warn)}.row small.warn,details .row :is(b,small){white-space:normal}
.none{display:grid;gap:10px;justify-items:start;margin-top:14px}
.avatar{flex:none;width:40px;height:40px;border-radius:50%;background:var(--hover)}
.row:focus-visible{outline-offset:-2px!important}
a:focus-visible,button:focus-visible,input:focus-visible,textarea:focus-visible,summary:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
form{display:grid;gap:10px}
label{display:grid;gap:4px;font-size:.875rem;color:var(--muted)}
input,textarea{font:inherit;width:100%;padding:9px 12px;border:1px solid var(--control);border-radius:var(--radius);background:var(--panel);color:inherit}
textarea{font:.8125rem/1.5 var(--mono);resize:vertical;word-break:break-all}
textarea[readonly]{background:var(--hover);field-sizing:content}
::placeholder{color:var(--muted);opacity:1}
input[type=search]{background:var(--hover)}
button:where(:not(.row)),.button{font:inherit;font-size:.9375rem;font-weight:var(--bold);padding:8px 15px;border-radius:var(--radius);border:1px solid var(--line);background:var(--panel);color:var(--text);cursor:pointer;text-decoration:none;text-align:center;display:inline-flex;gap:8px;align-items:center;justify-content:center}
button:hover,.button:hover{background:var(--hover)}
.button svg{width:18px;height:18px}
.primary{background:var(--accent);border-color:transparent;color:var(--on-accent)}.primary:hover{background:var(--accent);filter:brightness(1.08)}
.pager{display:flex;justify-content:space-between;gap:8px;margin-top:10px}
.pager .next{margin-left:auto}
details{border-top:1px solid var(--line);margin-top:12px;padding-top:12px}
summary{cursor:pointer;padding:6px 0;font-weight:var(--bold);border-radius:var(--radius-small)}
details form{padding:8px 0 4px}
footer{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:center;gap:12px;margin-top:20px;padding-top:20px;border-top:1px solid var(--line);font-size:.8125rem;color:var(--muted)}
footer span{overflow-wrap:anywhere}footer a:not(.button){padding:4px 0}
dl{display:grid;grid-template-columns:auto 1fr;gap:6px 18px;margin:0;font-size:.875rem}
dt{color:var(--muted)}dd{margin:0;min-width:0;overflow-wrap:anywhere;unicode-bidi:isolate}
dd small{color:var(--muted);font-weight:400}
.chosen{display:grid;gap:4px;padding:10px 14px;border-radius:var(--radius);background:var(--hover);border-inline-start:3px solid var(--accent);margin-bottom:14px;font-size:.875rem}
.notice{padding:10px 14px;border-radius:var(--radius);background:var(--bad-soft);color:var(--bad);margin-bottom:14px;font-size:.875rem}
.stack{display:grid;gap:14px}.stack>*{min-width:0}
section+section{border-top:1px solid var(--line);padding-top:20px;margin-top:6px}
.buttons{display:flex;flex-wrap:wrap;align-items:center;gap:8px}
.title{display:flex;justify-content:space-between;align-items:center;gap:12px}
@media (max-width:480px){dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:8px}body{padding:0;place-items:start stretch;background:var(--panel)}main{border:0;border-radius:0;box-shadow:none;padding:24px 20px;min-height:100vh;min-height:100dvh}}
@media (pointer:coarse){button,.button,input{min-height:44px}summary{padding:10px 0}}
@media (forced-colors:active){main,input,textarea,button:where(:not(.row)),.button{border:1px solid}}
`,
);
