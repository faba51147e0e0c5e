/** A public SSH key, given as a file or as its text. */
import * as Effect from "effect/Effect"
import { existsSync, readFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { SSH_KEY_MAX } from "../Limits.ts"
import { misused, type Refusal } from "../Refusal.ts"

/** What a public key begins with: its kind, then its data. */
const KEY = /^(ssh-|ecdsa-|sk-)\S+\s+\S/

const PRIVATE = "PRIVATE KEY"

/** A shell leaves the tilde alone in `--ssh-key=~/...`. */
const pathOf = (given: string): string => given.startsWith("~/") ? join(homedir(), given.slice(2)) : given

const checked = (path: string, text: string): Effect.Effect<string, Refusal> => {
  if (text.includes(PRIVATE)) {
    const publicKey = existsSync(`${path}.pub`) ? ` You probably mean ${path}.pub.` : ""
    return Effect.fail(misused(`${path} holds a private key, which was not sent.${publicKey}`))
  }
  if (!KEY.test(text)) return Effect.fail(misused(`${path} holds no public SSH key.`))
  return text.length <= SSH_KEY_MAX ? Effect.succeed(text) : Effect.fail(misused(`The key in ${path} is too long.`))
}

/** The text of a key. Nothing that could be a private key ever leaves this machine. */
export const readSshKey = (given: string): Effect.Effect<string, Refusal> => {
  const text = given.trim()
  if (KEY.test(text)) return Effect.succeed(text)
  if (text.includes(PRIVATE)) return Effect.fail(misused("That is a private key, which was not sent."))
  const path = pathOf(given)
  return Effect.flatMap(
    Effect.try({
      try: () => readFileSync(path, "utf8").trim(),
      catch: (cause) =>
        misused(
          `--ssh-key is neither a public key nor a file that can be read: ${(cause as Error).message}`,
          "A public key looks like: ssh-ed25519 AAAA... you@machine"
        )
    }),
    (found) => checked(path, found)
  )
}
