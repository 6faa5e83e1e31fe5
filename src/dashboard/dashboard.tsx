import { render } from "preact";
import { redeemLink } from "./api/client.ts";
import { startStream } from "./api/stream.ts";
import { App } from "./shell/app.tsx";

await redeemLink();
// A link that is opened in a tab with the dashboard changes the address alone.
globalThis.addEventListener("hashchange", () => void redeemLink());
void startStream();
const place = document.querySelector("#app")!;
place.replaceChildren();
render(<App />, place);
