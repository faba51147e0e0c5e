/** The root password and the SSH key of an order, from files and prompts. */
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { existsSync, readFileSync } from "node:fs"
import { type CommandError, usageError } from "../errors/CommandError.ts"
import { canHideInput, promptHidden, standardInput } from "../terminal/Terminal.ts"
import { homedir } from "node:os"
import { join } from "node:path"
import { SSH_KEY_MAX } from "../Limits.ts"

// `--root-password`: from a file, a hidden prompt or standard input, because other users can see arguments.

export const rootPassword = Flag.String("root-password").pipe(
  Flag.withMetavar("file|-"),
  Flag.withDescription("File with the root password; - prompts, or reads standard input (default: generated)"),
  Flag.optional
)

const promptTwice = Effect.gen(function*() {
  const password = yield* promptHidden("Root password (hidden): ")
  const repeated = yield* promptHidden("Repeat it: ")
  return password === repeated ? password : yield* usageError("The two passwords differ. Nothing was changed.")
})

/** Editors and `echo` end a line; everything else is the password, also spaces at its ends. */
const withoutLineEnd = (text: string): string => text.replace(/\r?\n$/, "")

/** The error does not repeat the value, which is the password if the user passed it by mistake. */
const readPasswordFile = (path: string): Effect.Effect<string, CommandError> =>
  Effect.try({
    try: () => readFileSync(path, "utf8"),
    catch: (cause) =>
      usageError(
        `--root-password is not a readable file (${(cause as NodeJS.ErrnoException).code}).`,
        "Pass the name of a file that contains the password, or - to be prompted for it."
      )
  })

/** Undefined without the flag: then the service generates one. */
export const readRootPassword = Effect.fnUntraced(function*(source: Option.Option<string>) {
  if (Option.isNone(source)) return undefined
  const typed = canHideInput() ? promptTwice : standardInput
  const password = withoutLineEnd(yield* source.value === "-" ? typed : readPasswordFile(source.value))
  return password === "" ? yield* usageError("The root password is empty.") : password
})

// Reads a public SSH key from a file or from the argument itself.

/** The start of a public key: its type, then its data. */
const KEY = /^(ssh-|ecdsa-|sk-)\S+\s+\S/

const PRIVATE = "PRIVATE KEY"

/** Shells do not expand the tilde in `--ssh-key=~/...`. */
const pathOf = (value: string): string => value.startsWith("~/") ? join(homedir(), value.slice(2)) : value

const validateKey = (path: string, text: string): Effect.Effect<string, CommandError> => {
  if (text.includes(PRIVATE)) {
    const publicKey = existsSync(`${path}.pub`) ? ` Did you mean ${path}.pub?` : ""
    return Effect.fail(usageError(`${path} is a private key. It was not sent.${publicKey}`))
  }
  if (!KEY.test(text)) return Effect.fail(usageError(`${path} is not a public SSH key.`))
  return text.length <= SSH_KEY_MAX ? Effect.succeed(text) : Effect.fail(usageError(`The key in ${path} is too long.`))
}

/** Returns the text of a key. A private key is never sent. */
export const readSshKey = (value: string): Effect.Effect<string, CommandError> => {
  const text = value.trim()
  if (KEY.test(text)) return Effect.succeed(text)
  if (text.includes(PRIVATE)) return Effect.fail(usageError("--ssh-key is a private key. It was not sent."))
  const path = pathOf(value)
  return Effect.flatMap(
    Effect.try({
      try: () => readFileSync(path, "utf8").trim(),
      catch: (cause) =>
        usageError(
          `--ssh-key is neither a public key nor a readable file: ${(cause as Error).message}`,
          "A public key looks like this: ssh-ed25519 AAAA... you@example.com"
        )
    }),
    (found) => validateKey(path, found)
  )
}
