const { mkdirSync, statSync } = require("node:fs");
const { isAbsolute, join } = require("node:path");

/**
 * Where Node keeps compiled code: below a directory of the user's own, because whoever can write there decides what the
 * user runs. Node's default is below the directory for temporary files, where any user of the machine may have made it.
 * @returns {string | undefined} undefined where there is no such place, and where Node's own variables decide
 */
function cacheDirectory(env, platform = process.platform) {
  if (env.NODE_COMPILE_CACHE || env.NODE_DISABLE_COMPILE_CACHE !== undefined) return undefined;
  if (platform === "win32") return env.LOCALAPPDATA && `${env.LOCALAPPDATA}\\svc\\compiled`;
  const isGiven = isAbsolute(env.XDG_CACHE_HOME ?? "");
  const base = isGiven ? env.XDG_CACHE_HOME : (env.HOME ?? "");
  const caches = isGiven ? base : join(base, platform === "darwin" ? "Library/Caches" : ".cache");
  const path = join(caches, "svc");
  try {
    // Nothing is made in another's home, which is what sudo may leave in HOME.
    return isAbsolute(base) && isOwn(base) && isOwn(make(caches)) && isOwn(make(path)) ? path : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a directory is the user's, and no other can write into it. */
function isOwn(path) {
  const found = statSync(path);
  return found.isDirectory() && found.uid === process.getuid() && (found.mode & 0o022) === 0;
}

function make(path) {
  if (!statSync(path, { throwIfNoEntry: false })) mkdirSync(path, { mode: 0o700 });
  return path;
}

module.exports = { cacheDirectory };
