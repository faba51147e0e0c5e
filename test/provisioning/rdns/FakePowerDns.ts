/** A peer that responds like the HTTP API of PowerDNS 4.7, with zones and records in memory. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"

export const KEY = "open-sesame-0123456789"

interface RecordSet {
  readonly name: string
  readonly type: string
  readonly changetype: "REPLACE" | "DELETE"
}

export interface NameServer {
  readonly url: string
  readonly close: () => Promise<void>
}

export interface FakePowerDns extends NameServer {
  /** The targets of records, by their names. */
  readonly records: Map<string, string>
  /** Replaces the next responses. */
  readonly responses: Array<(response: ServerResponse) => void>
}

/** As the server writes names into URLs. */
const idOf = (zone: string): string => zone.replaceAll("/", "=2F")

const PATH = "/api/v1/servers/localhost"

/** Recorded from version 4.7.3, without what the client does not read. */
const SERVER = { daemon_type: "authoritative", id: "localhost", type: "Server", url: PATH, version: "4.7.3" }

const patched = async (records: Map<string, string>, request: IncomingMessage): Promise<void> => {
  const { rrsets } = await json(request) as {
    rrsets: ReadonlyArray<RecordSet & { records: ReadonlyArray<{ content: string }> }>
  }
  for (const { changetype, name, records: [first] } of rrsets.map((set) => ({ ...set, records: set.records ?? [] }))) {
    if (changetype === "DELETE") records.delete(name)
    else records.set(name, first!.content)
  }
}

const zoneOf = (records: Map<string, string>, zone: string, query: URLSearchParams) => {
  const names = [...records.keys()].filter((name) =>
    name.endsWith(`.${zone}`) && (query.get("rrset_name") ?? name) === name
  )
  const toSet = (name: string) => ({
    comments: [],
    name,
    records: [{ content: records.get(name), disabled: false }],
    ttl: 3_600,
    type: "PTR"
  })
  const soa = { comments: [], name: zone, records: [{ content: "a. b. 1 1 1 1 1", disabled: false }], type: "SOA" }
  return { id: idOf(zone), name: zone, kind: "Native", rrsets: [...names.map(toSet), soa] }
}

export const startFake = async (zones: ReadonlyArray<string>): Promise<FakePowerDns> => {
  const records = new Map<string, string>()
  const responses: FakePowerDns["responses"] = []
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const replace = responses.shift()
    if (replace !== undefined) return replace(response)
    const send = (status: number, body: unknown) =>
      void response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body))
    if (request.headers["x-api-key"] !== KEY) return send(401, "Unauthorized")
    const { pathname, searchParams } = new URL(request.url!, "http://x")
    if (pathname === PATH) return send(200, SERVER)
    if (pathname === `${PATH}/search-data`) {
      return send(200, zones.map((name) => ({ name, object_type: "zone", zone_id: idOf(name) })))
    }
    const zone = zones.find((each) => `${PATH}/zones/${idOf(each)}` === decodeURIComponent(pathname))
    if (zone === undefined) return send(404, "Not Found")
    if (request.method === "GET") return send(200, zoneOf(records, zone, searchParams))
    await patched(records, request)
    send(204, "")
  }
  const server = createServer((request, response) => void respond(request, response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    records,
    responses,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}
