import { testStore } from "../store/_conformance.ts";
import { useEmptiedStore } from "./_store.ts";

testStore(
  "postgres",
  useEmptiedStore(() => {}),
  { isInOrder: false },
);
