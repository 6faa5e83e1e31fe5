// Node 22 and later keep what they have compiled, if they are told where.
const { mkdirSync, statSync } = require("node:fs");
const { isAbsolute, join } = require("node:path");

/**
 * A directory of the user's own, made where it is missing: whoever can write there decides what the user runs. Node's
 * default is below the directory for temporary files, where any user of the machine may have made it before.
 * @returns {string | undefined} undefined where there is no such place; then nothing is kept
 */
function cacheDirectory(env, platform = process.platform) {
  if (platform === "win32") return env.LOCALAPPDATA && join(env.LOCALAPPDATA, "svc", "compiled");
  const isGiven = isAbsolute(env.XDG_CACHE_HOME ?? "");
  const base = isGiven ? env.XDG_CACHE_HOME : (env.HOME ?? "");
  const caches = isGiven ? base : join(base, platform === "darwin" ? "Library/Caches" : ".cache");
  const path = join(caches, "svc");
  try {
    // Nothing is made in another's home, which is what sudo may leave in HOME.
    if (!isAbsolute(base) || !isOwn(base)) return undefined;
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return isOwn(caches) && isOwn(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a directory is the user's, and no other can write into it. */
function isOwn(path) {
  const { uid, mode } = statSync(path);
  return uid === process.getuid() && (mode & 0o022) === 0;
}

/** Makes the starts after the first one faster. */
function keepCompiled() {
  // eslint-disable-next-line node/no-process-env
  const directory = cacheDirectory(process.env);
  if (directory) require("node:module").enableCompileCache?.(directory);
}

module.exports = { cacheDirectory, keepCompiled };
