/** What `svc help` explains beside commands. The texts are only loaded to be printed. */
export const TOPIC_NAMES = ["query", "output", "options", "environment", "exit-codes"] as const;
