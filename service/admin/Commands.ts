/**
 * The use case of each operator command. The running service executes them for clients of its socket and for the panel;
 * without a service, `vps-service admin` executes them on the database itself. The input is JSON, which is decoded here
 * in all cases.
 */
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { type CommandName, CONTRACT, type InputOf, type ResultOf } from "../contract/operator/Commands.ts"
import { CATALOGUE_USE_CASES } from "./catalogue/CatalogueImport.ts"
import { type CommandRejected, decode, reject } from "./Input.ts"
import { ACCOUNTS_USE_CASES } from "./commands/Accounts.ts"
import { ADDRESSES_USE_CASES } from "./commands/Addresses.ts"
import { ANNOUNCEMENTS_USE_CASES } from "./commands/Announcements.ts"
import { AUDITS_USE_CASES } from "./commands/Audits.ts"
import { WALLET_USE_CASES } from "./commands/Wallet.ts"
import { CLOCK_USE_CASES } from "./commands/Clock.ts"
import { PRICES_USE_CASES } from "./commands/Prices.ts"
import { DATABASE_COPIES_USE_CASES } from "./commands/DatabaseCopies.ts"
import { EVACUATIONS_USE_CASES } from "./commands/Evacuations.ts"
import { HOST_IMAGES_USE_CASES } from "./commands/HostImages.ts"
import { HOSTS_USE_CASES } from "./commands/Hosts.ts"
import { INSTANCES_USE_CASES } from "./commands/Instances.ts"
import { KEYS_USE_CASES } from "./commands/Keys.ts"
import { MAILS_USE_CASES } from "./commands/Mails.ts"
import { NOTES_USE_CASES } from "./commands/Notes.ts"
import { PEOPLE_USE_CASES } from "./commands/People.ts"
import { REVERSE_DNS_USE_CASES } from "./commands/ReverseDns.ts"
import { TASKS_USE_CASES } from "./commands/Tasks.ts"
import type { Failure, UseCases } from "./UseCases.ts"

/** The fields that a result has beyond those of its contract, which `satisfies` accepts. */
type Excess<Result, Contract> = Contract extends ReadonlyArray<infer Expected>
  ? Result extends ReadonlyArray<infer Actual> ? Excess<Actual, Expected> : never
  : Contract extends object ? Exclude<keyof Result, keyof Contract>
  : never

type Returned<UseCase> = UseCase extends (...input: never) => Effect.Effect<infer Result, infer _E, infer _R> ? Result
  : never

/** A sentence in place of each use case whose result has more. */
type Exact<All extends Required<UseCases>> = {
  readonly [Name in CommandName]: [Excess<Returned<All[Name]>, ResultOf<Name>>] extends [never] ? unknown
    : `The contract of ${Name} lacks ${Excess<Returned<All[Name]>, ResultOf<Name>> & string}`
}

/** The use case only records what the command line did. */
const recorded = () => Effect.succeed({})

const USE_CASES = {
  ...ACCOUNTS_USE_CASES,
  ...KEYS_USE_CASES,
  ...PEOPLE_USE_CASES,
  ...WALLET_USE_CASES,
  ...PRICES_USE_CASES,
  ...CATALOGUE_USE_CASES,
  ...HOST_IMAGES_USE_CASES,
  ...HOSTS_USE_CASES,
  ...EVACUATIONS_USE_CASES,
  ...ADDRESSES_USE_CASES,
  ...REVERSE_DNS_USE_CASES,
  ...INSTANCES_USE_CASES,
  ...TASKS_USE_CASES,
  ...NOTES_USE_CASES,
  ...ANNOUNCEMENTS_USE_CASES,
  ...MAILS_USE_CASES,
  ...AUDITS_USE_CASES,
  ...CLOCK_USE_CASES,
  ...DATABASE_COPIES_USE_CASES,
  "secret.rotate": recorded,
  "secret.forget": recorded
} satisfies Required<UseCases>

type ServicesOf<Name extends CommandName> = Effect.Services<ReturnType<typeof USE_CASES[Name]>>

/** The services that commands need. */
export type CommandServices = ServicesOf<CommandName>

/** A command with the decoding of its input. */
const bind = <Name extends CommandName>(name: Name) => {
  const { fresh, hostOnly, input, isAct } = CONTRACT[name]
  const useCase = (USE_CASES satisfies Exact<typeof USE_CASES>)[name] as unknown as (
    input: InputOf<Name>
  ) => Effect.Effect<ResultOf<Name>, Failure, ServicesOf<Name>>
  return {
    fresh,
    hostOnly,
    isAct,
    run: (value: InputOf<Name>): Effect.Effect<ResultOf<Name>, Failure, ServicesOf<Name>> =>
      Effect.flatMap(decode(input() as unknown as Schema.Codec<InputOf<Name>, unknown>, value), useCase)
  }
}

/** Each command by its name on the socket. */
export const COMMANDS = Object.fromEntries(
  Object.keys(CONTRACT).map((name) => [name, bind(name as CommandName)])
) as unknown as { readonly [Name in CommandName]: ReturnType<typeof bind<Name>> }

interface AnyCommand {
  readonly run: (input: unknown) => Effect.Effect<unknown, Failure, CommandServices>
  readonly isAct: (input: unknown) => boolean
  readonly fresh: boolean
  readonly hostOnly: boolean
}

/** Fails with `CommandRejected` if there is no such command. */
export const commandNamed = (name: string): Effect.Effect<AnyCommand, CommandRejected> =>
  Object.hasOwn(COMMANDS, name)
    ? Effect.succeed(COMMANDS[name as CommandName] as AnyCommand)
    : Effect.fail(reject(`Unknown command ${name}. This version of the service does not support it.`))
