#!/usr/bin/env node
// Only syntax and modules that old Node versions know: the check must run before anything else is loaded.
const required = 24
if (Number(process.versions.node.split(".")[0]) < required) {
  process.stderr.write(`vps needs Node.js ${required} or newer; this is ${process.version} (${process.execPath}).\n`)
  process.exit(1)
}
await import("./main.ts")
export {}
