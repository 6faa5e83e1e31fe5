import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** What somebody else carries for us, and can neither read nor make. */
export interface Sealer {
  /** @param purpose what it is good for; it opens for nothing else */
  close(purpose: string, value: unknown): string;
  /** With an id that no other sealed text has. Undefined: not ours, changed, or for another purpose. */
  open(purpose: string, text: string): { readonly id: string; readonly value: unknown } | undefined;
}

/** Whoever has the same secret opens it: every process on one store does. */
export function createSealer(secret: Buffer): Sealer {
  // From Node 24 on, bytes are made into a key anew each time, which costs twice what encryption does.
  let latest: { purpose: string; text: string; opened: ReturnType<Sealer["open"]> } | undefined;
  const key = createSecretKey(Buffer.from(hkdfSync("sha256", secret, "", "svc simulator", 32)));
  return {
    close(purpose, value) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(purpose));
      const content = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), content]).toString("base64url");
    },

    open(purpose, text) {
      // One request asks for the same code several times.
      if (latest?.text !== text || latest.purpose !== purpose) latest = { purpose, text, opened: open(purpose, text) };
      return latest.opened;
    },
  };

  function open(purpose: string, text: string): ReturnType<Sealer["open"]> {
    const bytes = Buffer.from(text, "base64url");
    if (bytes.length <= NONCE_BYTES + TAG_BYTES) return undefined;
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(purpose))
      .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    try {
      const content = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
      return { id: nonce.toString("hex"), value: JSON.parse(content.toString()) };
    } catch {
      return undefined;
    }
  }
}
