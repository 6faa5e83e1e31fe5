import { render } from "preact";
import { redeemLink } from "./api/session.ts";
import { startStream } from "./api/stream.ts";
import { App } from "./shell/app.tsx";

await redeemLink();
startStream();
render(<App />, document.querySelector("#app")!);
