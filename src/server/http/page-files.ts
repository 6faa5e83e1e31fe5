import type { OpenAnswer } from "./any-host.ts";
import { PAGE_FILES_ROUTE, type PageFile } from "./pages/files.ts";
import { PICKER_SCRIPT, SIGNED_IN_SCRIPT } from "./pages/scripts.ts";
import { STYLE } from "./pages/style.ts";
import { setHeaders } from "./respond.ts";

/** The styles and scripts of pages, for every host: an unknown one gets a page, too, which says so. */
export function pageFileAnswers(): Map<string, OpenAnswer> {
  return new Map([STYLE, PICKER_SCRIPT, SIGNED_IN_SCRIPT].map((file) => [file.path, answerOf(file)]));
}

function answerOf({ type, text }: PageFile): OpenAnswer {
  return {
    route: PAGE_FILES_ROUTE,
    answer(event) {
      setHeaders(event, { "content-type": type, "cache-control": "public, max-age=31536000, immutable" });
      return text;
    },
  };
}
