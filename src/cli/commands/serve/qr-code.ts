import { renderUnicodeCompact } from "uqr";
import type { RunningServer } from "../../../server/index.ts";
import { isLoopback, isLoopbackUrl } from "../../../wire/http/address.ts";

/** The public URL as a QR code in lines of text, if a phone could reach the server there. */
export function qrCodeOf({ url, bound }: Pick<RunningServer, "url" | "bound">): string | undefined {
  const isBeyond = bound.some((address) => !isLoopback(address.replace(/:\d+$/, "").replace(/^\[|\]$/g, "")));
  return isBeyond && !isLoopbackUrl(url) ? renderUnicodeCompact(url) : undefined;
}
