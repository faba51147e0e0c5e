/** Reads a public SSH key from a file or from the argument itself. */
import * as Effect from "effect/Effect"
import { existsSync, readFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { SSH_KEY_MAX } from "../Limits.ts"
import { type CommandError, usageError } from "../errors/CommandError.ts"

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
