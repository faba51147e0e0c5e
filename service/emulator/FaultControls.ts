/** The controls that add, list and delete fault rules. */
import * as Effect from "effect/Effect"
import * as HttpApi from "effect/http-api/HttpApi"
import { Api } from "@pulumi-vps/contract/Api"
import { FaultBody, type FaultRecord } from "../contract/Emulator.ts"
import { Driver } from "../provisioning/Driver.ts"
import { type Controls, decodeBody, InvalidBody, json, missingField, type Request } from "./Control.ts"
import { type Fault, Faults } from "./Faults.ts"

const DRIVER = "driver."

/** Every endpoint as `group.endpoint`; a create's dry run has its own name. */
const ENDPOINTS: ReadonlyArray<string> = (() => {
  const names: Array<string> = ["instances.dry_run"]
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, group }) => void names.push(`${group.identifier}.${endpoint.identifier}`)
  })
  return names
})()

/** True for a rule without a fault. */
const isIdle = ({ driver, drop_connection: drop, latency_ms: latency, status }: FaultBody): boolean =>
  driver === undefined && drop === undefined && latency === undefined && status === undefined

const wrong = (field: string, problem: string): InvalidBody =>
  new InvalidBody({ items: [{ loc: ["body", field], msg: `Value error, ${problem}`, type: "value_error" }] })

/** Validates the combination of fields; undefined when it is valid. */
const problemOf = (body: FaultBody, driverOperations: ReadonlySet<string>): InvalidBody | undefined => {
  const { driver, drop_connection: drop, operation, status } = body
  const atDriver = operation.startsWith(DRIVER)
  const isKnown = atDriver ? driverOperations.has(operation.slice(DRIVER.length)) : ENDPOINTS.includes(operation)
  if (!isKnown) {
    const names = atDriver ? [...driverOperations].map((name) => `${DRIVER}${name}`) : ENDPOINTS
    return wrong("operation", `unknown operation ${operation}; use one of ${names.join(", ")}`)
  }
  if (atDriver && status !== undefined) return wrong("status", "driver operations have no status; use driver")
  if (atDriver && drop !== undefined) {
    return wrong("drop_connection", "driver operations have no connection; use driver: lost_answer")
  }
  if (!atDriver && driver !== undefined) {
    return wrong("driver", `only ${DRIVER}<task type> operations have driver faults`)
  }
  return isIdle(body) ? missingField(atDriver ? "driver" : "status") : undefined
}

const toRecord = ({ hits, id, rule: fields }: Fault): typeof FaultRecord.Type => ({ id, ...fields, hits })

const addFault = Effect.fnUntraced(function*(request: Request) {
  const body = yield* decodeBody(request, FaultBody)
  const problem = problemOf(body, (yield* Driver).capabilities)
  if (problem !== undefined) return yield* problem
  return json(toRecord(yield* (yield* Faults).add(body)), 201)
})

const listFaults = Effect.gen(function*() {
  return json((yield* (yield* Faults).all).map(toRecord))
})

const clearFaults = Effect.gen(function*() {
  yield* (yield* Faults).clear
  return json({ ok: true })
})

export const FAULTS: Controls = {
  "/faults": { POST: addFault, GET: () => listFaults, DELETE: () => clearFaults }
}
