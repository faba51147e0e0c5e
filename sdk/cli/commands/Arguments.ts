/** Arguments and flags that several commands take. */
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import { WAIT_SECONDS, WAIT_SECONDS_MAX } from "../Limits.ts"

export const instance = Argument.Int("instance").pipe(
  Argument.withDescription("The instance's id, as \"vps instance list\" shows it")
)

export const plan = Flag.String("plan").pipe(
  Flag.withMetavar("slug|id"),
  Flag.withDescription("The plan, as \"vps plan list\" shows it")
)

export const os = Flag.String("os").pipe(
  Flag.withMetavar("slug"),
  Flag.withDescription("The image, as \"vps os list\" shows it")
)

export const sshKey = Flag.String("ssh-key").pipe(
  Flag.withMetavar("file|text"),
  Flag.withDescription("Public SSH key for root: a file like ~/.ssh/id_ed25519.pub, or the key itself"),
  Flag.optional
)

const MILLIS = 1_000

/** Typed in seconds; milliseconds from here on. */
export const timeout = Flag.Int("timeout").pipe(
  Flag.filter(
    (seconds) => seconds > 0 && seconds <= WAIT_SECONDS_MAX,
    (seconds) => `--timeout is a number of seconds from 1 to ${WAIT_SECONDS_MAX}, not ${seconds}`
  ),
  Flag.withMetavar("seconds"),
  Flag.withDescription(`How long to wait at most (default: ${WAIT_SECONDS})`),
  Flag.withDefault(WAIT_SECONDS),
  Flag.map((seconds) => seconds * MILLIS)
)

/** For commands whose work goes on after the answer. */
export const waits = {
  wait: Flag.Boolean("wait").pipe(
    Flag.withDescription("Wait until the instance is done with it"),
    Flag.withDefault(false)
  ),
  timeout
}
