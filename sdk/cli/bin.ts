#!/usr/bin/env node
// This file only uses syntax and modules that old Node versions support, so that the check runs there, too.
const [major, minor] = process.versions.node.split(".").map(Number) as [number, number]
if (major < 22 || (major === 22 && minor < 12)) {
  process.stderr.write(`vps needs Node.js 22.12 or newer; this is ${process.version} (${process.execPath}).\n`)
  process.exit(1)
}
const { enableCompileCache } = await import("node:module")
const { homedir } = await import("node:os")
// Caching compiled code saves a fifth of the run time. An unwritable folder only disables the cache.
// The cache is below the user's home: in a shared folder, others could replace the code that runs.
enableCompileCache(`${homedir()}/.cache/pulumi-vps`)
await import("./main.ts")
export {}
