/**
 * Runs in the network of a host, which the tests cannot reach: starts a machine without a system over TLS, and prints
 * what its console accepts. Arguments: the host's URI, and the folder of certificates.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { consoleOf } from "#service/provisioning/drivers/libvirt/Console"
import { PROCEDURES } from "#service/provisioning/drivers/libvirt/rpc/Procedures"
import { screenXml } from "#service/provisioning/drivers/libvirt/Screen"
import { connectTo } from "#service/provisioning/drivers/libvirt/HostConnection"
import { setTimeout } from "node:timers/promises"
import { DEFAULT_LIMITS } from "../support/limits.ts"
import { accepts } from "./Vnc.ts"

const UUID = "11111111-2222-5333-8444-555555555555"
/** QEMU compares whole seconds. */
const SHORT_MILLIS = 1_000
const AFTER_MILLIS = 2_500

const [uri, certificates] = process.argv.slice(2)
const session = connectTo(uri!, certificates!, DEFAULT_LIMITS)

const run = Effect.gen(function*() {
  const address = yield* session.peer
  const domain = yield* session.slow(PROCEDURES.define, [
    `<domain type="qemu"><name>screen</name><uuid>${UUID}</uuid><memory unit="MiB">64</memory>
     <os><type arch="x86_64" machine="pc">hvm</type></os><devices>${screenXml(address)}</devices></domain>`,
    0
  ])
  const off = yield* Effect.flip(consoleOf(session, domain, SHORT_MILLIS))
  yield* session.slow(PROCEDURES.create, [domain, 0])
  const place = (millis: number) =>
    Effect.flatMap(
      consoleOf(session, domain, millis),
      (found) => found.kind === "tcp" ? Effect.succeed(found) : Effect.die(found)
    )
  const long = yield* place(60_000)
  const password = Redacted.value(long.password)
  const right = yield* Effect.promise(() => accepts(long, password))
  const wrong = yield* Effect.promise(() => accepts(long, "wrong-it"))
  const short = yield* place(SHORT_MILLIS)
  const replaced = yield* Effect.promise(() => accepts(short, password))
  yield* Effect.promise(() => setTimeout(AFTER_MILLIS))
  const expired = yield* Effect.promise(() => accepts(short, Redacted.value(short.password)))
  yield* session.slow(PROCEDURES.destroy, [domain, 0])
  return { address, off: off._tag, host: long.host, right, wrong, replaced, expired }
})

process.stdout.write(JSON.stringify(await Effect.runPromise(run)))
session.close()
