#!/usr/bin/env node
// The build puts the check of Node's version before this code, so nothing may be imported statically: that would be
// loaded first.
const { enableCompileCache } = await import("node:module")
const { readCacheFolder } = await import("./Environment.ts")
const { makeFolder } = await import("./shared/Folder.ts")
// Caching compiled code saves a fifth of the run time. An unwritable folder only disables the cache.
// The cache is below the user's home: in a shared folder, others could replace the code that runs.
// Deno has no such cache.
const caches = readCacheFolder()
try {
  makeFolder(caches)
  enableCompileCache?.(caches)
} catch {} // The command is only slower to start.
await import("./main.ts")
export {}
