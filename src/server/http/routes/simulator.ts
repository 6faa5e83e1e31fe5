import { isProvider } from "../../../wire/names.ts";
import { ApiError } from "../../errors.ts";
import { avatarSvg } from "../pages/avatar.ts";
import { pickerPage } from "../pages/picker.ts";
import { page, redirect, svg } from "../reply.ts";
import type { RouteDefinition } from "./route.ts";

/** The browser's side of a simulated provider: the account picker, and the way back from it. */
export const simulatedAuthorize: RouteDefinition = {
  on: ["front"],
  handle(request, { simulator }) {
    const provider = request.params["provider"];
    if (!isProvider(provider)) throw new ApiError("not_found");
    const outcome = simulator.authorize(provider, request.query);
    return "location" in outcome ? redirect(outcome.location) : page(pickerPage(outcome));
  },
};

export const avatar: RouteDefinition = {
  on: ["front"],
  handle(request, { simulator }) {
    const id = /^(.+)\.svg$/.exec(request.params["file"] ?? "")?.[1];
    const persona = simulator.personas.all.find((candidate) => candidate.id === id);
    if (!persona) throw new ApiError("not_found");
    return svg(avatarSvg(persona.id, persona.name ?? persona.email));
  },
};
