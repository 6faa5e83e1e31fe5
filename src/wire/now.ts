/** Returns the time: a `Date`, or milliseconds since 1970. `() => new Date()`, `Date.now` and a test clock's `now` all fit. */
export type Now = () => Date | number;
