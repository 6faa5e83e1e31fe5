import { createHash } from "node:crypto";
import type { PersonaRecord } from "../store/records.ts";
import type { GithubAccount } from "./github.ts";

/** Anybody can type in an address. */
const MAX_TYPED = 1000;

/** Those whom the simulated providers know: the seed's, and whoever is typed in. */
export class Personas {
  readonly #personas: PersonaRecord[];
  readonly #avatarUrl: (id: string) => string;
  readonly #seeded: number;

  /** @param avatarUrl where a persona without a picture has one made for it */
  constructor(personas: readonly PersonaRecord[], avatarUrl: (id: string) => string) {
    this.#avatarUrl = avatarUrl;
    this.#seeded = personas.length;
    this.#personas = personas.map((persona) => ({
      ...persona,
      avatar_url: persona.avatar_url ?? avatarUrl(persona.id),
    }));
  }

  get all(): readonly PersonaRecord[] {
    return this.#personas;
  }

  /** By id or by any e-mail address, ignoring case. */
  find(hint: string): PersonaRecord | undefined {
    const wanted = hint.toLowerCase();
    return this.#personas.find(
      ({ id, email, accounts }) =>
        id === hint ||
        email.toLowerCase() === wanted ||
        (accounts.github as GithubAccount | undefined)?.emails.some((entry) => entry.email.toLowerCase() === wanted),
    );
  }

  /** Who was meant, also where another process knew them: somebody typed in there is made again here. */
  recall({ id, email, name }: Pick<PersonaRecord, "id" | "email" | "name">): PersonaRecord {
    return this.#personas.find((persona) => persona.id === id && persona.email === email) ?? this.add(email, name);
  }

  /** Somebody new, who is the same person whenever the same address is typed in. */
  add(email: string, name: string | null): PersonaRecord {
    const number = createHash("sha256").update(email.toLowerCase()).digest().readUIntBE(0, 5);
    const id = `p${number}`;
    const login = (email.split("@")[0] ?? "").replace(/[^A-Za-z0-9]+/g, "-") || id;
    const persona: PersonaRecord = {
      id,
      name,
      email,
      avatar_url: this.#avatarUrl(id),
      accounts: {
        google: { sub: `1${number}`, email_verified: true },
        github: { id: number, login, emails: [{ email, primary: true, verified: true }] },
        twitter: { id: `3${number}`, username: login.slice(0, 15).replaceAll("-", "_") },
      },
    };
    this.#personas.push(persona);
    if (this.#personas.length > this.#seeded + MAX_TYPED) this.#personas.splice(this.#seeded, 1);
    return persona;
  }
}
