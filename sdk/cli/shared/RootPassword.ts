/** `--root-password`: from a file, a hidden prompt or standard input, because other users can see arguments. */
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { readFileSync } from "node:fs"
import { type CommandError, usageError } from "../errors/CommandError.ts"
import { canHideInput, promptHidden, standardInput } from "../terminal/Prompt.ts"

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

/** The error does not repeat the value, which is the password if the user passed it by mistake. */
const readPasswordFile = (path: string): Effect.Effect<string, CommandError> =>
  Effect.try({
    try: () => readFileSync(path, "utf8").trim(),
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
  const password = yield* source.value === "-" ? typed : readPasswordFile(source.value)
  return password === "" ? yield* usageError("The root password is empty.") : password
})
