// Below the faces: no command can be made to meet each of these errors.
import { expect, it } from "vitest";
import { toFailure } from "../../src/cli/failure.ts";
import { ServeError } from "../../src/server/errors.ts";
import { StorageUnavailable, StoreRefused } from "../../src/server/store/store.ts";

it.each([
  [new StoreRefused("locked", "x"), "store_locked", 8],
  [new StoreRefused("damaged", "x"), "store_damaged", 9],
  [new StorageUnavailable("x"), "store_unavailable", 1],
  [new ServeError("x"), "config", 2],
  [new TypeError("x"), "unexpected", 1],
])("The code of the server's %o is %s in --json, with exit code %i", (error, code, exitCode) => {
  expect(toFailure(error)).toMatchObject({ code, exitCode });
});
