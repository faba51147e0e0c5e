/** Machines on hosts. */
import * as Command from "effect/cli/Command"
import { commandFor } from "./AdminCommand.ts"
import { toggle } from "./Flags.ts"

const audit = commandFor("machines.audit", {
  repair: toggle("repair", "Repair what is safe, as the service does every 5 minutes: power, and its record")
}, {
  description: "Compare instances with the machines and disks on hosts; nothing is deleted",
  example: "machines audit",
  view: (findings) =>
    findings.map(({ detail, hosts, kind, machine, repaired }) => ({ kind, machine, hosts, repaired, detail }))
})

export const machines = Command.make("machines").pipe(
  Command.withDescription("Compare instances with the machines on hosts"),
  Command.withSubcommands([audit])
)
