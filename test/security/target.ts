/** The target of tests over raw sockets: a real process with short timeouts. */
import { head, type Heard, send } from "./raw.ts"
import { type ServiceProcess, startServiceWith } from "../support/serviceProcess.ts"

/** In milliseconds; Node looks for late connections four times as often as a head may take. */
const QUICK = {
  VPS_SERVICE_KEEP_ALIVE_MILLIS: "50",
  VPS_SERVICE_HEADERS_MILLIS: "300",
  VPS_SERVICE_REQUEST_MILLIS: "600",
  VPS_SERVICE_SILENCE_MILLIS: "300",
  VPS_SERVICE_CLOSE_GRACE_MILLIS: "50"
}

export interface Target {
  readonly service: ServiceProcess
  /** The header that opens every door. */
  readonly key: string
  readonly send: (parts: string | Buffer | ReadonlyArray<string | Buffer>) => Promise<Heard>
  /** A request of the API that is answered 200 without changing anything; ends the connection. */
  readonly isWell: () => Promise<boolean>
  /** The number of instances bought so far. */
  readonly bought: () => Promise<number>
}

export const startTarget = async (...flags: ReadonlyArray<string>): Promise<Target> => {
  const service = await startServiceWith({ env: QUICK }, ["--emulator", ...flags])
  const key = `Authorization: Bearer ${service.apiKey}`
  return {
    service,
    key,
    send: (parts) => send(service.origin, parts),
    isWell: async () => {
      const { statuses } = await send(service.origin, head("GET /api/v1/whoami", key, "Connection: close"))
      return statuses.length === 1 && statuses[0] === 200
    },
    bought: async () => {
      const answer = await fetch(`${service.url}/instances`, { headers: { authorization: `Bearer ${service.apiKey}` } })
      return ((await answer.json()) as ReadonlyArray<unknown>).length
    }
  }
}
