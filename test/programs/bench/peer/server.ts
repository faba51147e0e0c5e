/**
 * The peer: what a good team writes in a week with Fastify and node:sqlite. JSON-schema validation, response schemas,
 * keys looked up by hash and cached for 2 s, scopes, and one durable transaction per create. No request log.
 * Usage: server.ts --port 0 --database FILE; prints the service's ready line.
 */
import Fastify from "fastify"
import { parseArgs } from "node:util"
import { type Create, CreateSchema, InstanceSchema } from "./Record.ts"
import { type Key, Store } from "./Store.ts"

const { database, port } = parseArgs({ options: { database: { type: "string" }, port: { type: "string" } } }).values
if (database === undefined) throw new Error("--database is required")

const store = new Store(database)
const app = Fastify({
  logger: false,
  ajv: { customOptions: { removeAdditional: false, coerceTypes: true, allErrors: true } }
})
const callers = new WeakMap<object, Key>()

const guard = (scope: string) => async (request: { headers: Record<string, unknown> }, reply: Reply) => {
  const header = request.headers["authorization"]
  const key = typeof header === "string" && header.startsWith("Bearer ") ? store.key(header.slice(7)) : undefined
  if (key === undefined) return reply.code(401).send({ detail: "Not authenticated" })
  if (!key.scopes.has(scope)) return reply.code(403).send({ detail: `The key lacks the scope ${scope}` })
  callers.set(request, key)
  return undefined
}
interface Reply {
  code(status: number): { send(body: unknown): unknown }
}

app.get<{ Params: { id: number } }>("/api/v1/instances/:id", {
  onRequest: guard("vps:read"),
  schema: { params: { type: "object", properties: { id: { type: "integer" } } }, response: { 200: InstanceSchema } }
}, async (request, reply) =>
  store.show(callers.get(request)!.accountId, request.params.id)
    ?? reply.code(404).send({ detail: "Instance not found" } as never))

app.get("/api/v1/instances", {
  onRequest: guard("vps:read"),
  schema: { response: { 200: { type: "array", items: InstanceSchema } } }
}, (request, reply) => reply.send(store.list(callers.get(request)!.accountId)))

app.post<{ Body: Create }>("/api/v1/instances", {
  onRequest: guard("vps:create"),
  schema: { body: CreateSchema, response: { 201: InstanceSchema } }
}, async (request, reply) => {
  const idempotencyKey = request.headers["idempotency-key"]
  const placed = store.create(
    callers.get(request)!,
    request.body,
    typeof idempotencyKey === "string" ? idempotencyKey : undefined
  )
  return "instance" in placed
    ? reply.code(201).send(placed.instance)
    : reply.code(placed.status).send({ detail: placed.detail } as never)
})

const url = await app.listen({ host: "127.0.0.1", port: Number(port ?? 0) })
process.stdout.write(`${JSON.stringify({ ready: true, url: `${url}/api/v1` })}\n`)
