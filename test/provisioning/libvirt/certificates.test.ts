/** Certificates of hosts that have ended, or end soon: the reason is named, with the day. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { copyFileSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { connectTo } from "#service/provisioning/drivers/libvirt/HostConnection"
import { listHost } from "#service/provisioning/drivers/libvirt/Listing"
import { PROCEDURES } from "#service/provisioning/drivers/libvirt/rpc/Procedures"
import { HOST } from "../../persistence/suite/hosts.ts"
import { makeAuthority, noOpenssl } from "../../support/certificates.ts"
import { DEFAULT_LIMITS } from "../../support/limits.ts"
import { result, startDaemon } from "./FakeDaemon.ts"

const DAY = 86_400_000

const NOTHING_ELSE = { state: "active", used: HOST.capacity, diskLeftGib: null } as const

/** A daemon by TLS, and a connection to it; the certificates of those that `ended` names ended yesterday. */
const connected = (ended: ReadonlyArray<"host" | "service"> = []) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const authority = makeAuthority("fleet")
      const sign = (who: "host" | "service", ...names: ReadonlyArray<string>) =>
        (ended.includes(who) ? authority.signEnded : authority.sign)(who, ...names)
      const server = { ...sign("host", "DNS:localhost"), authority: authority.cert, accepts: true }
      const { cert, key } = sign("service")
      const folder = mkdtempSync(join(tmpdir(), "vps-tls-"))
      copyFileSync(cert, join(folder, "clientcert.pem"))
      copyFileSync(key, join(folder, "clientkey.pem"))
      copyFileSync(authority.cert, join(folder, "cacert.pem"))
      const daemon = await startDaemon((packet, reply) => reply(result(PROCEDURES.version, packet, 9_000_000)), {
        tls: server
      })
      const connection = connectTo(`tls:localhost:${daemon.port}`, folder, DEFAULT_LIMITS)
      const close = async () => {
        connection.close()
        await daemon.close()
        authority.remove()
        rmSync(folder, { recursive: true })
      }
      return { connection, folder, close }
    }),
    ({ close }) => Effect.promise(close)
  )

describe.skipIf(noOpenssl)("certificates of a host (needs openssl)", () => {
  it.live.each(
    [
      [
        "host",
        () => /^The certificate of libvirt at localhost:\d+ ended on \d{4}-\d\d-\d\dT\S+\. Renew it on that host/
      ],
      [
        "service",
        (folder: string) => new RegExp(`^The certificate ${folder}/clientcert.pem ended on \\d{4}-\\S+\\. Renew`)
      ]
    ] as const
  )("that ended are named with the day: of the %s", ([who, expected]) =>
    Effect.gen(function*() {
      const { connection, folder } = yield* connected([who])
      const { message } = yield* Effect.flip(connection.call(PROCEDURES.version, []))
      assert.match(message, expected(folder))
      // The audit knows the reason, too, once the host counts as unreachable.
      const host = { ...HOST, ...NOTHING_ELSE, id: 1, unreachableSince: 1 }
      const listed = yield* listHost(connection, host, "all", DEFAULT_LIMITS)
      assert.strictEqual(listed.failure, `It does not respond. ${message}`)
    }).pipe(Effect.scoped))

  it.live("that are valid are read from both sides", () =>
    Effect.gen(function*() {
      const { connection, folder } = yield* connected()
      const found = yield* connection.certificates
      const names = [`${folder}/clientcert.pem`, `${folder}/cacert.pem`, "of the host itself"]
      assert.deepStrictEqual(found.map(({ name }) => name), names)
      const now = yield* Clock.currentTimeMillis
      for (const { endsAt } of found) assert.closeTo(endsAt, now + 2 * DAY, DAY / 24)
      assert.isNull(connection.failure())
    }).pipe(Effect.scoped))
})
