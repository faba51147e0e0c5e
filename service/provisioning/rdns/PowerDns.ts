/** PTR records in PowerDNS, by the HTTP API of its authoritative server. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Limits } from "../../config/Limits.ts"
import { Busy, type Fault, Rejected, Unavailable } from "../Driver.ts"
import { recordOf, type Zone } from "./ReverseZones.ts"
import { ReverseDns } from "./ReverseDns.ts"

export interface PowerDnsSettings {
  /** Of its web server, such as http://127.0.0.1:8081. */
  readonly url: string
  readonly key: Redacted.Redacted<string>
}

interface StoredZone extends Zone {
  /** Its name in URLs. */
  readonly id: string
}

interface RecordSet {
  readonly name: string
  readonly type: string
  readonly records: ReadonlyArray<{ readonly content: string; readonly disabled: boolean }>
}

const TOO_MANY = 429
const FIRST_SERVER_ERROR = 500

/** The reason of a rejection, by the status of the response. */
const REMEDIES: Readonly<Record<number, string>> = {
  401: "the name server rejected the API key",
  404: "the name server does not have the zone"
}

/** A failed request as a fault of the driver. The server's text may name its files, so customers do not receive it. */
const faultOf = (status: number): Fault => {
  if (status === TOO_MANY) return new Busy({ reason: "the name server is busy" })
  if (status >= FIRST_SERVER_ERROR) return new Unavailable({ reason: `the name server failed (${status})` })
  return new Rejected({ reason: REMEDIES[status] ?? `the name server rejected the record (${status})` })
}

/** Also for a server that redirects: the key is for the configured one only. */
const unreachable = (cause: unknown): Unavailable => {
  const { cause: reason = cause, name } = cause as Error
  const { code } = reason as { readonly code?: unknown }
  return new Unavailable({ reason: `the name server did not respond (${typeof code === "string" ? code : name})` })
}

/** Zones that one response may have: more than any provider's networks need. */
const ZONES_MAX = 100_000

export type PowerDns = ReturnType<typeof makeClient>

/** The requests to a server. */
export const makeClient = ({ key, url }: PowerDnsSettings, timeoutMillis: number) => {
  const base = `${url.replace(/\/$/, "")}/api/v1/servers/localhost`
  const request = (method: string, path: string, body?: object): Effect.Effect<unknown, Fault> =>
    Effect.tryPromise({
      try: async (aborted) => {
        const signal = AbortSignal.any([aborted, AbortSignal.timeout(timeoutMillis)])
        const headers = { "x-api-key": Redacted.value(key), "content-type": "application/json" }
        const content = body === undefined ? {} : { body: JSON.stringify(body) }
        const response = await fetch(`${base}${path}`, { method, headers, signal, redirect: "error", ...content })
        const text = await response.text()
        return { status: response.status, ok: response.ok, text }
      },
      catch: unreachable
    }).pipe(Effect.flatMap(({ ok, status, text }): Effect.Effect<unknown, Fault> => {
      if (!ok) return Effect.fail(faultOf(status))
      return Effect.try({ try: (): unknown => text === "" ? undefined : JSON.parse(text), catch: unreachable })
    }))
  const pathOf = ({ id }: StoredZone): string => `/zones/${encodeURIComponent(id)}`
  return {
    version: Effect.map(request("GET", ""), (server) => (server as { readonly version: string }).version),
    /** The reverse zones. */
    zones: Effect.map(
      request("GET", `/search-data?q=*.arpa&object_type=zone&max=${ZONES_MAX}`),
      (found) =>
        (found as ReadonlyArray<{ readonly name: string; readonly zone_id: string }>).map(({ name, zone_id: id }) => ({
          name: name.toLowerCase(),
          id
        }))
    ),
    /** The PTR records of a zone, or those of one name. */
    records: (zone: StoredZone, name?: string) =>
      Effect.map(
        request(
          "GET",
          pathOf(zone) + (name === undefined ? "" : `?rrset_name=${encodeURIComponent(name)}&rrset_type=PTR`)
        ),
        (found) =>
          (found as { readonly rrsets: ReadonlyArray<RecordSet> }).rrsets.filter((set) =>
            set.type === "PTR" && (name === undefined || set.name === name)
          )
      ),
    change: (zone: StoredZone, set: object) => Effect.asVoid(request("PATCH", pathOf(zone), { rrsets: [set] }))
  }
}

const withoutDot = (name: string): string => name.replace(/\.$/, "")

export const fromClient = ({ change, records, zones }: PowerDns, ttl: number): ReverseDns["Service"] => {
  const located = Effect.fnUntraced(function*(ip: string) {
    const found = recordOf(yield* zones, ip)
    return found ?? (yield* new Rejected({ reason: `the name server has no reverse zone for ${ip}` }))
  })
  return {
    find: Effect.fnUntraced(function*(ip) {
      const { name, zone } = yield* located(ip)
      const target = (yield* records(zone, name))[0]?.records.find(({ disabled }) => !disabled)?.content
      return target === undefined ? undefined : withoutDot(target)
    }),
    set: Effect.fnUntraced(function*(ip, target) {
      const { name, zone } = yield* located(ip)
      const content = `${withoutDot(target)}.`
      yield* change(zone, { name, type: "PTR", ttl, changetype: "REPLACE", records: [{ content, disabled: false }] })
    }),
    remove: Effect.fnUntraced(function*(ip) {
      const { name, zone } = yield* located(ip)
      yield* change(zone, { name, type: "PTR", changetype: "DELETE" })
    })
  }
}

/** PTR records in PowerDNS. */
export const layer = (settings: PowerDnsSettings): Layer.Layer<ReverseDns, never, Limits> =>
  Layer.effect(
    ReverseDns,
    Effect.map(Limits, ({ RDNS_CALL_MILLIS, RDNS_TTL_SECONDS }) =>
      ReverseDns.of(fromClient(makeClient(settings, RDNS_CALL_MILLIS), RDNS_TTL_SECONDS)))
  )
