/** The addresses of machines' VNC servers. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { type ConsoleAddress, PoweredOff, Rejected } from "../../Driver.ts"
import { powerOf } from "./Machines.ts"
import { PROCEDURES as CALLS } from "./rpc/Procedures.ts"
import type { Domain } from "./rpc/Types.ts"
import { newPassword, tcpScreen } from "./Screen.ts"
import type { CallFault, HostConnection } from "./HostConnection.ts"

const SCREEN = /<graphics type='vnc'[^<>]*>/
const SOCKET = / socket='([^']+)'/
const PORT = /<graphics type='vnc' port='(\d+)'/
const LIVE = 1

const remote = Effect.fnUntraced(
  function*(connection: HostConnection, domain: Domain, port: number, passwordMillis: number) {
    const host = yield* connection.peer
    if (host === null || !(port > 0)) {
      return yield* new Rejected({ reason: "the instance has no console before its next start" })
    }
    const password = newPassword()
    const now = yield* Clock.currentTimeMillis
    yield* connection.slow(CALLS.updateDevice, [domain, tcpScreen(host, password, now + passwordMillis), LIVE])
    return { kind: "tcp", host, port, password: Redacted.make(password) } satisfies ConsoleAddress
  }
)

/** The address of a running machine. On another computer, permits a new password for a while. */
export const consoleOf = Effect.fnUntraced(
  function*(
    connection: HostConnection,
    domain: Domain,
    passwordMillis: number
  ): Effect.fn.Return<ConsoleAddress, CallFault | PoweredOff | Rejected> {
    if ((yield* powerOf(connection, domain)) === "off") return yield* new PoweredOff()
    const definition = yield* connection.call(CALLS.description, [domain, 0])
    const path = SOCKET.exec(SCREEN.exec(definition)?.[0] ?? "")?.[1]
    if (path !== undefined) return { kind: "unix", path }
    return yield* remote(connection, domain, Number(PORT.exec(definition)?.[1]), passwordMillis)
  }
)
