/** The calls of the engine to a provider of either kind, and the connection to it. */
import type { ChildProcess } from "node:child_process"
import { createInterface } from "node:readline"
import type { KillSwitch } from "./KillSwitch.ts"
import { fromStruct, grpc, provider, services, status, type Values } from "./Wire.ts"

/** A half-made resource, as the host reports it inside an error. */
export class InitFailed extends Error {
  readonly id: string
  readonly outputs: Values
  readonly reasons: ReadonlyArray<string>
  constructor(id: string, outputs: Values, reasons: ReadonlyArray<string>) {
    super(reasons.map((reason) => `* ${reason}`).join("\n"))
    this.id = id
    this.outputs = outputs
    this.reasons = reasons
  }
}

/** Sends one request; rejects with what the provider says. */
export type Call = (method: string, request: unknown) => Promise<unknown>

/** bytes; the engine's own limit. */
const MAX_MESSAGE = 400 * 1024 * 1024

interface GrpcError extends Error {
  readonly details?: string
  readonly metadata?: { readonly get: (key: string) => Array<Uint8Array> }
}

const asError = (error: GrpcError): Error => {
  const [bytes] = error.metadata?.get("grpc-status-details-bin") ?? []
  const [detail] = bytes === undefined ? [] : status.Status.deserializeBinary(bytes).getDetailsList()
  if (detail === undefined) return new Error(error.details ?? error.message, { cause: error })
  const failed = provider.ErrorResourceInitFailed.deserializeBinary(detail.getValue_asU8())
  return new InitFailed(failed.getId(), fromStruct(failed.getProperties()), failed.getReasonsList())
}

/** `port` is on this machine. */
export const connectTo = (port: string): Call => {
  const options = { "grpc.max_receive_message_length": MAX_MESSAGE, "grpc.max_send_message_length": MAX_MESSAGE }
  const client = new services.ResourceProviderClient(`127.0.0.1:${port}`, grpc.credentials.createInsecure(), options)
  const methods = client as unknown as Record<
    string,
    (request: unknown, answer: (error: GrpcError | null, reply: unknown) => void) => void
  >
  return (method, request) =>
    new Promise((resolve, reject) => {
      methods[method]!.call(client, request, (error, reply) => error === null ? resolve(reply) : reject(asError(error)))
    })
}

export interface Difference {
  readonly changes: boolean
  readonly replaces: ReadonlyArray<string>
  readonly deleteFirst: boolean
}

export interface Launch {
  readonly folder: string
  /** Of the engine. */
  readonly address: string
  readonly project: string
  readonly environment: Record<string, string>
  readonly cut: KillSwitch
  readonly say: (line: string) => void
}

/** One resource, as its provider serves it. */
export interface Provider {
  readonly check: (olds: Values, news: Values) => Promise<{ inputs: Values; failures: ReadonlyArray<string> }>
  readonly diff: (id: string, olds: Values, news: Values, oldInputs: Values) => Promise<Difference>
  readonly create: (inputs: Values) => Promise<{ id: string; outputs: Values }>
  /** An empty id means that the resource is gone. */
  readonly read: (
    id: string,
    outputs: Values,
    inputs: Values
  ) => Promise<{ id: string; outputs: Values; inputs?: Values }>
  readonly update: (id: string, olds: Values, news: Values) => Promise<Values>
  readonly delete: (id: string, outputs: Values) => Promise<void>
  /** The outputs in a preview: of a create, or of an update of `old`. */
  readonly foreseen: (
    inputs: Values,
    old?: { readonly id: string; readonly outputs: Values }
  ) => Promise<Values>
}

/** Its standard error is part of the run's output. */
export const forwardErrors = (child: ChildProcess, say: (line: string) => void): void =>
  void createInterface({ input: child.stderr! }).on("line", (line) => say(`provider: ${line}`))

/** The port that it prints first; `say` receives its output after that. */
export const portOf = (child: ChildProcess, say: (line: string) => void): Promise<string> =>
  new Promise((resolve, reject) => {
    let first = true
    createInterface({ input: child.stdout! }).on("line", (line) => {
      if (!first) say(`provider: ${line}`)
      first = false
      resolve(line)
    })
    child.once("exit", (code) => reject(new Error(`the provider ended with ${code} before it was ready`)))
  })
