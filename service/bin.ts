#!/usr/bin/env node
// The build puts the check of Node's version before this code, so nothing may be imported statically: that would be
// loaded first. The command line is a separate program, so that starting the service does not load its parser.
const command = process.argv[2]
if (command === "admin" || command === "config") await import("./admin/cli/main.ts")
else {
  const { tuneProcess } = await import("./runtime/ProcessTuning.ts")
  tuneProcess()
  await import("./main.ts")
}
export {}
