/** On answers of the control API: where the clock stands, as `GET /clock` says it. */
export const CLOCK_HEADER = "svc-clock";
