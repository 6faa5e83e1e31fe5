import type { VNode } from "preact";
import { Heading } from "../ui/parts.tsx";
import { TokenPanel } from "./try-it/token.tsx";
import { TrySignIn } from "./try-it/sign-in.tsx";

/** Signs in as an application would, and decodes tokens. */
export function TryIt(): VNode {
  return (
    <>
      <Heading title="Try it" note="Run a sign-in and see what your application would get." />
      <TrySignIn />
      <TokenPanel />
    </>
  );
}
