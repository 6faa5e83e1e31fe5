import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync } from "node:crypto";
import { randomBytes } from "../random.ts";

const ALGORITHM = "aes-256-gcm";
/** Changes with the form of the values, so that none is opened that another version of svc sealed in another form. */
const CONTENT = "svc simulator 3";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

interface Opened {
  /** Unique to the text. */
  readonly id: string;
  readonly value: unknown;
}

export type Sealer = ReturnType<typeof createSealer>;

/**
 * Encrypts and authenticates values that a browser carries for us. Every process on one store has the same secret, and can
 * open what others sealed.
 */
export function createSealer(secret: Buffer) {
  // A key object: from Node 24 on, importing raw bytes each time costs twice as much as encrypting.
  const key = createSecretKey(Buffer.from(hkdfSync("sha256", secret, "", CONTENT, 32)));
  return {
    /**
     * @param purpose the text can be opened for this purpose only
     * @param value any JSON value
     */
    close(purpose: string, value: unknown): string {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(purpose));
      const content = [cipher.update(JSON.stringify(value)), cipher.final()];
      return Buffer.concat([nonce, cipher.getAuthTag(), ...content]).toString("base64url");
    },

    /** Undefined if the text was not sealed here, was changed, or has another purpose. */
    open(purpose: string, text: string): Opened | undefined {
      const bytes = Buffer.from(text, "base64url");
      if (bytes.length <= NONCE_BYTES + TAG_BYTES) return undefined;
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(purpose))
        .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      try {
        const content = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
        // Not the beginning of the text: base64url has several spellings of the same bytes.
        return { id: nonce.toString("base64url"), value: JSON.parse(content.toString()) };
      } catch {
        return undefined;
      }
    },
  };
}
