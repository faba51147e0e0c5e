/** A subcommand whose first argument names an instance. */
import type * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { command, getClient, type ReportedError } from "../Command.ts"
import type { Failure } from "../output/FailureReport.ts"
import * as Arguments from "./Arguments.ts"
import { parseId, resolveInstanceId } from "./InstanceLookup.ts"

/** An ID needs no client, so that a usage error is reported before the missing login. */
const resolve = (named: string) => {
  const id = parseId(named)
  return id === undefined
    ? Effect.flatMap(getClient, (client) => resolveInstanceId(client, named))
    : Effect.succeed(id)
}

interface Identified {
  readonly id: number
}

/** Makes a subcommand that gets the instance's ID. The argument is an ID or a hostname. */
export const instanceCommand = <const Name extends string, const Config extends Command.Command.Config, R>(
  name: Name,
  config: Config,
  run: (
    input: Command.Command.Config.Infer<Config> & Identified
  ) => Effect.Effect<void, Failure | ReportedError, R>
) =>
  command(
    name,
    { instance: Arguments.instance, config },
    ({ config, instance }) =>
      Effect.flatMap(resolve(instance), (id) => run({ ...config as object, id } as Parameters<typeof run>[0]))
  )
