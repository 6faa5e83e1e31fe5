// Loaded into a server that is measured: answers any message with its memory, in bytes, once the garbage is collected.
process.on("message", () => {
  globalThis.gc();
  process.send(process.memoryUsage());
});
process.channel?.unref();
