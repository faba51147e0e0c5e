#!/usr/bin/env node
// Only syntax and modules that old Node versions know: the check must run before anything else is loaded.
const required = 24
if (Number(process.versions.node.split(".")[0]) < required) {
  process.stderr.write(`vps needs Node.js ${required} or newer; this is ${process.version} (${process.execPath}).\n`)
  process.exit(1)
}
const { enableCompileCache } = await import("node:module")
const { homedir } = await import("node:os")
// Compiled code is kept between calls, a fifth of the time they take; where that cannot be written, it is not kept.
// Below the user's home and not in a shared folder: who can write there decides what we run.
enableCompileCache(`${homedir()}/.cache/pulumi-vps`)
await import("./main.ts")
export {}
