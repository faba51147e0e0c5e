/** `vps rdns`. */
import * as Arguments from "../shared/Arguments.ts"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { usageError } from "../errors/CommandError.ts"
import { call } from "../Command.ts"
import { runAction } from "../shared/Action.ts"
import { instanceCommand } from "../shared/Selection.ts"
import { addressOf } from "../shared/Views.ts"

const primaryAddress = Effect.fnUntraced(function*(id: number) {
  const address = addressOf(yield* call((client) => client.instances.get(id)))
  if (address !== undefined) return address
  return yield* usageError(`Instance ${id} does not have an address yet.`, `Wait for it: vps instance wait ${id}`)
})

const set = instanceCommand(
  "set",
  {
    ptr: Flag.String("ptr").pipe(
      Flag.withMetavar("name"),
      Flag.withDescription("Hostname that the address resolves to, like web.example.com")
    ),
    ip: Flag.String("ip").pipe(
      Flag.withMetavar("address"),
      Flag.withDescription("IP address of the instance (default: its IPv4 address)"),
      Flag.optional
    ),
    ...Arguments.waits
  },
  Effect.fnUntraced(function*({ id, ip: flag, ptr, ...waits }) {
    const ip = Option.isSome(flag) ? flag.value : yield* primaryAddress(id)
    yield* runAction({
      id,
      action: "set rdns",
      request: (client) => client.instances.rdns(id, { ip, ptr }),
      isImmediate: true,
      detail: (result) => `${result.ip ?? ip} resolves to ${result.ptr ?? ptr}.`,
      ...waits
    })
  })
).pipe(
  Command.withDescription("Set the PTR record of an instance's IP address"),
  Command.withExamples([
    { command: "vps rdns set 7 --ptr web.example.com" },
    { command: "vps rdns set 7 --ip 2001:db8::1 --ptr web.example.com" }
  ])
)

export const rdns = Command.make("rdns").pipe(
  Command.withDescription("Set reverse DNS"),
  Command.withSubcommands([set])
)
