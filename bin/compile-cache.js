// Loads the parts of the command, which are CommonJS files in one directory, with what V8 compiled of them the last time.
const fs = require("node:fs");
const { dirname, isAbsolute, join } = require("node:path");
const { constants, Script } = require("node:vm");

/** A command that runs this long has loaded what it needs; V8 forgets what runs once. */
const SAVE_AFTER_MS = 2_000;
const HASHED = /-[\w-]{8}\.cjs$/;
/** The same with the process that writes it, if that has crashed. */
const COMPILED = /-[\w-]{8}\.cjs(?:\.\d+)?$/;
/** How long compiled code is kept. What is in use is compiled again then, which takes less time than one command. */
const KEEP_MS = 30 * 24 * 3_600_000;

/**
 * Where compiled code is kept: below a directory of the user's own, because whoever can write there decides what the
 * user runs. Never below the directory for temporary files, where any user of the machine may have made it before.
 * @returns {string | undefined} undefined where there is no such place; then nothing is kept
 */
function cacheDirectory(env, platform = process.platform) {
  if (env.NODE_DISABLE_COMPILE_CACHE) return undefined;
  if (platform === "win32") return env.LOCALAPPDATA && `${env.LOCALAPPDATA}\\svc\\compiled`;
  const isGiven = isAbsolute(env.XDG_CACHE_HOME ?? "");
  const base = isGiven ? env.XDG_CACHE_HOME : (env.HOME ?? "");
  const caches = isGiven ? base : `${base}/${platform === "darwin" ? "Library/Caches" : ".cache"}`;
  const path = `${caches}/svc`;
  try {
    // Nothing is made in another's home, which is what sudo may leave in HOME.
    const isSafe = isAbsolute(base) && isOwn(base) === true && isOwn(caches) !== false && isOwn(path) !== false;
    return isSafe ? path : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a directory is the user's, and no other can write into it; undefined where there is none yet. */
function isOwn(path) {
  const found = fs.statSync(path, { throwIfNoEntry: false });
  return found && found.isDirectory() && found.uid === process.getuid() && (found.mode & 0o022) === 0;
}

/**
 * @param {string} directory of the parts
 * @param {string | undefined} cache of what was compiled; made where it is missing
 * @param {string | undefined} root above it, from which all that is old is removed
 * @returns {(name: string) => any} loads a part by its file's name
 */
function loaderOf(directory, cache, root) {
  const parts = new Map();
  /** Compiled by this process, and not kept yet. */
  let compiled = [];

  function load(name) {
    const known = parts.get(name);
    if (known) return known.exports;
    const part = { exports: {} };
    parts.set(name, part);
    const filename = `${directory}/${name}`;
    const source = fs.readFileSync(filename, "utf8");
    // V8 compares a source by its length alone, so its name must tell it: the few lines without a hash are not kept.
    const isKept = cache !== undefined && HASHED.test(name);
    const cachedData = isKept ? read(`${cache}/${name}`) : undefined;
    const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
    const wrapped = `(function (exports, require, module, __filename, __dirname) {${source}\n})`;
    const script = new Script(wrapped, { filename, cachedData, importModuleDynamically });
    if (isKept && (!cachedData || script.cachedDataRejected)) compiled.push([name, script]);
    script.runInThisContext().call(part.exports, part.exports, requirePart, part, filename, directory);
    return part.exports;
  }

  function requirePart(id) {
    return id.startsWith("./") ? load(id.slice(2)) : require(id);
  }

  /** Whole or not at all: V8 trusts what it is given. */
  function save() {
    try {
      if (compiled.length > 0) makeDirectory(cache);
      for (const [name, script] of compiled) {
        const draft = `${cache}/${name}.${process.pid}`;
        fs.writeFileSync(draft, script.createCachedData(), { mode: 0o600, flag: "wx", flush: true });
        fs.renameSync(draft, `${cache}/${name}`);
      }
      if (compiled.length > 0 && root !== undefined) removeOld(root);
    } catch {
      // The next start compiles again.
    }
    compiled = [];
  }

  if (cache) {
    setTimeout(save, SAVE_AFTER_MS).unref();
    process.once("exit", save);
  }
  return load;
}

/**
 * Removes what was compiled long ago, for versions of svc and of Node.js that may be gone.
 * @param {string} root the directory that all of them share
 */
function removeOld(root) {
  const isOld = (path) => Date.now() - fs.statSync(path).mtimeMs > KEEP_MS;
  for (const engine of fs.readdirSync(root))
    for (const command of namesIn(join(root, engine)))
      for (const name of namesIn(join(root, engine, command))) {
        const path = join(root, engine, command, name);
        if (COMPILED.test(name) && isOld(path)) fs.rmSync(path, { force: true });
      }
}

function namesIn(directory) {
  try {
    return fs.readdirSync(directory);
  } catch {
    return [];
  }
}

/** Node's own way of making those above as well does not end in /proc. */
function makeDirectory(path, isLast = false) {
  try {
    fs.mkdirSync(path, 0o700);
  } catch (error) {
    if (error.code === "EEXIST") return;
    if (error.code !== "ENOENT" || isLast) throw error;
    makeDirectory(dirname(path));
    makeDirectory(path, true);
  }
}

function read(path) {
  try {
    return fs.readFileSync(path);
  } catch {
    return undefined;
  }
}

module.exports = { cacheDirectory, loaderOf };
