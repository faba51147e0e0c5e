/** The time of the service. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { commandFor } from "./AdminCommand.ts"

const show = commandFor("clock.show", {}, {
  description: "Show the time of the service, what the clock says, and what its confirmation would make due"
})

const confirm = commandFor("clock.confirm", {
  time: Argument.String("time").pipe(
    Argument.withDescription("The right time, read from another clock; the service's clock must agree with it")
  )
}, {
  description: "Confirm the time after a jump of the clock, so that renewals, expiry, deletions, and backups continue",
  example: "clock confirm 2027-01-31T12:00:00Z"
})

export const clock = Command.make("clock").pipe(
  Command.withDescription("Show and confirm the time of the service"),
  Command.withSubcommands([show, confirm])
)
