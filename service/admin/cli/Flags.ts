/** Kinds of flags that many commands have. */
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type CommandRejected, rejectUsage } from "../CommandRejected.ts"

/** A flag that may be absent. */
export const optional = <A>(flag: Flag.Flag<A>, description: string) =>
  flag.pipe(Flag.withDescription(description), Flag.optional)

/** A flag without a value, off by default. */
export const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

/** An account's id, as an argument or as the flag `--account`. */
export const accountOr = (description: string) => ({
  account: Argument.Int("account").pipe(Argument.withDescription(description), Argument.optional),
  account_id: optional(Flag.Int("account"), "The same as the argument \"account\"")
})

type Parsed = Readonly<Record<string, unknown>>

const optionOf = (value: unknown): Option.Option<unknown> => Option.isOption(value) ? value : Option.none()

/** Parsed flags and arguments, with the argument of `accountOr` as its flag. Two different accounts are wrong usage. */
export const withAccount = <A extends object>(parsed: A): Effect.Effect<Omit<A, "account">, CommandRejected> => {
  const { account, ...others } = parsed as Parsed
  const argument = optionOf(account)
  const flag = optionOf(others["account_id"])
  if (Option.isNone(argument)) return Effect.succeed(others as Omit<A, "account">)
  return Option.isSome(flag) && flag.value !== argument.value
    ? Effect.fail(rejectUsage(`The account is ${argument.value}, but --account is ${flag.value}. Pass one of them.`))
    : Effect.succeed({ ...others, account_id: argument } as unknown as Omit<A, "account">)
}
