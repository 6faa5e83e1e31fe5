/** What to add to the sentence about a token, by the reason why it is not valid: what is wrong, and what to do. */
export const TOKEN_REMEDIES: Readonly<Partial<Record<string, string>>> = {
  not_yet_valid: "it is from the future. Set the clocks of the service and of this machine",
};
