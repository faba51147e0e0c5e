/** Arguments and flags that several commands share. */
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import { WAIT_SECONDS, WAIT_SECONDS_MAX } from "../Limits.ts"

export const instance = Argument.String("instance").pipe(
  Argument.withDescription("ID or hostname of the instance; see \"vps instance list\"")
)

export const plan = Flag.String("plan").pipe(
  Flag.withMetavar("slug|id"),
  Flag.withDescription("Plan; see \"vps plan list\"")
)

export const os = Flag.String("os").pipe(
  Flag.withMetavar("slug"),
  Flag.withDescription("Image to install; see \"vps os list\"")
)

export const sshKey = Flag.String("ssh-key").pipe(
  Flag.withMetavar("file|text"),
  Flag.withDescription("Public SSH key for root: a file, like ~/.ssh/id_ed25519.pub, or the key itself"),
  Flag.optional
)

const CHARGE = /^(\d{1,12}(?:\.\d{1,2})?) ?([A-Za-z]{3})$/

/** The most that a command may charge. */
export const maxCharge = Flag.String("max-charge").pipe(
  Flag.filter(
    (text) => CHARGE.test(text),
    (text) => `--max-charge must be an amount and a currency, like "5.00 EUR", not "${text}"`
  ),
  Flag.map((text) => {
    const [, amount, currency] = CHARGE.exec(text)!
    return { amount: Number(amount), currency: currency!.toUpperCase() }
  }),
  Flag.withMetavar("amount currency"),
  Flag.withDescription("The most that may be charged, like \"5.00 EUR\" (default: the confirmed charge, if any)"),
  Flag.optional
)

const MILLIS = 1_000
const MINUTE = 60
const HOUR = 60 * MINUTE

/** Seconds, or hours, minutes and seconds with their units. */
const DURATION = /^(?:(\d{1,9})|(?=\d)(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?)$/i

const secondsOf = (text: string): number => {
  const [plain = 0, hours = 0, minutes = 0, seconds = 0] = (DURATION.exec(text) ?? []).slice(1).map((part = "0") =>
    Number(part)
  )
  return plain + hours * HOUR + minutes * MINUTE + seconds
}

/** Entered in seconds or with units, converted to milliseconds. */
export const timeout = Flag.String("timeout").pipe(
  Flag.filter(
    (text) => DURATION.test(text),
    (text) => `--timeout must be a duration like 90, 90s, 5m or 1h30m, not "${text}"`
  ),
  Flag.map(secondsOf),
  Flag.filter(
    (seconds) => seconds > 0 && seconds <= WAIT_SECONDS_MAX,
    (seconds) => `--timeout must be from 1 to ${WAIT_SECONDS_MAX} seconds, not ${seconds}`
  ),
  Flag.map((seconds) => seconds * MILLIS),
  Flag.withMetavar("seconds"),
  Flag.withDescription(`Maximum wait, like 90, 90s or 5m (default: ${WAIT_SECONDS})`),
  Flag.withDefault(WAIT_SECONDS * MILLIS)
)

/** Flags for commands whose task continues after the response. */
export const waits = {
  wait: Flag.Boolean("wait").pipe(
    Flag.withDescription("Wait until the task is done"),
    Flag.withDefault(false)
  ),
  timeout
}
