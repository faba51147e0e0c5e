#!/usr/bin/env node
// Only syntax and modules that old Node versions know: the check must run before anything else is loaded.
const required = 24
if (Number(process.versions.node.split(".")[0]) < required) {
  process.stderr.write(
    `vps-service needs Node.js ${required} or newer; this is ${process.version} (${process.execPath}).\n`
  )
  process.exit(1)
}
// A separate program, so that starting the service does not load the command-line parser.
const command = process.argv[2]
if (command === "admin" || command === "config") await import("./admin/cli/main.ts")
else {
  const { tuneProcess } = await import("./runtime/ProcessTuning.ts")
  tuneProcess()
  await import("./main.ts")
}
export {}
