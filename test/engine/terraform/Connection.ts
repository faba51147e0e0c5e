/** A provider's process, started and called as OpenTofu does it: go-plugin's handshake, TLS, gRPC. */
import { type ChildProcess, spawn } from "node:child_process"
import { X509Certificate } from "node:crypto"
import { once } from "node:events"
import { createInterface } from "node:readline"
import grpc from "@grpc/grpc-js"
import { UNKNOWN } from "#provider/definition/Properties"
import { selfSigned } from "#provider/terraform-host/Certificate"
import { decode as unpack, encode as pack } from "#provider/terraform-host/MessagePack"
import {
  CLIENT_CERTIFICATE,
  decode,
  encode,
  MAGIC_COOKIE,
  type Message,
  type Method,
  pathOf,
  WARNING
} from "#provider/terraform-host/Protocol"
import type { State, Type } from "#provider/terraform-host/Schema"

type Value = Message<"DynamicValue">

export const write = (value: State | null): Value => ({ msgpack: pack(value) })

/** Decimals come as texts, which the type turns into numbers again. */
export const read = (schema: Schema, value: Value | undefined): State | null => {
  const state = value?.msgpack === undefined ? null : unpack(value.msgpack) as State | null
  return state === null ? null : convert(schema, state)
}

export interface SchemaAttribute {
  readonly name: string
  readonly type: Type
  readonly computed: boolean
  readonly writeOnly: boolean
}
export type Schema = ReadonlyArray<SchemaAttribute>

const schemaOf = ({ block }: Message<"Schema">): Schema =>
  (block?.attributes ?? []).map(({ computed = false, name = "", type, write_only: writeOnly = false }) => ({
    name,
    type: JSON.parse(Buffer.from(type ?? []).toString()) as Type,
    computed,
    writeOnly
  }))

/** The engine's conversion of values to the types of a schema; an attribute without one is null. */
export const convert = (schema: Schema, values: State): State =>
  Object.fromEntries(schema.map(({ name, type }) => [name, converted(type, values[name])]))

const converted = (type: Type, value: unknown): unknown => {
  if (value === undefined || value === null) return null
  if (value === UNKNOWN) return value
  if (type === "number") return Number(value)
  if (type === "string") return String(value)
  if (Array.isArray(type) && type[0] === "list") {
    return (value as ReadonlyArray<unknown>).map((one) => converted(type[1] as Type, one))
  }
  return value
}

export interface Schemas {
  readonly provider: Schema
  readonly resources: Readonly<Record<string, Schema>>
  readonly dataSources: Readonly<Record<string, Schema>>
}

/** An error that the provider has answered; it has been printed. */
export class Refused extends Error {}

export class Connection {
  readonly #child: ChildProcess
  readonly #client: grpc.Client
  /** The messages, each printed once. */
  readonly #printed: Set<string>

  private constructor(child: ChildProcess, client: grpc.Client, printed: Set<string>) {
    this.#child = child
    this.#client = client
    this.#printed = printed
  }

  static async start(program: string): Promise<Connection> {
    const { certificate, key } = selfSigned(performance.timeOrigin + performance.now())
    const child = spawn(program, [], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, [MAGIC_COOKIE.name]: MAGIC_COOKIE.value, [CLIENT_CERTIFICATE]: certificate }
    })
    const log: Array<string> = []
    child.stderr.on("data", (chunk: Buffer) => log.push(chunk.toString()))
    const lines = createInterface(child.stdout)
    const [line] = await Promise.race([once(lines, "line"), once(lines, "close")]) as [string | undefined]
    if (line === undefined) throw new Error(`${program} ended before its handshake:\n${log.join("")}`)
    const [, , network, address, , server = ""] = line.split("|")
    const trusted = new X509Certificate(Buffer.from(server, "base64")).toString()
    const credentials = grpc.credentials.createSsl(Buffer.from(trusted), Buffer.from(key), Buffer.from(certificate))
    const client = new grpc.Client(`${network}:${address}`, credentials, {
      "grpc.ssl_target_name_override": "localhost",
      "grpc.max_receive_message_length": -1
    })
    return new Connection(child, client, new Set())
  }

  /** The answer, also when it has errors, which are printed. */
  async call<M extends Method>(method: M, request: Message<`${M}.Request`>): Promise<Message<`${M}.Response`>> {
    const answer = await new Promise<Message<`${M}.Response`>>((resolve, reject) => {
      this.#client.makeUnaryRequest(
        pathOf(method),
        (message: object) => encode(`${method}.Request`, message),
        (bytes: Buffer) => decode(`${method}.Response`, bytes) as Message<`${M}.Response`>,
        request,
        (error, value) =>
          error === null && value !== undefined ? resolve(value) : reject(error ?? new Error("no answer"))
      )
    })
    this.#print(answer)
    return answer
  }

  /** @throws Refused when the answer has errors. */
  async must<M extends Method>(method: M, request: Message<`${M}.Request`>): Promise<Message<`${M}.Response`>> {
    const answer = await this.call(method, request)
    if (hasErrors(answer)) throw new Refused()
    return answer
  }

  async schemas(): Promise<Schemas> {
    const answer = await this.must("GetProviderSchema", {})
    const all = (schemas: Readonly<Record<string, Message<"Schema">>> = {}) =>
      Object.fromEntries(Object.entries(schemas).map(([type, schema]) => [type, schemaOf(schema)]))
    return {
      provider: schemaOf(answer.provider ?? {}),
      resources: all(answer.resource_schemas),
      dataSources: all(answer.data_source_schemas)
    }
  }

  async end(): Promise<void> {
    this.#client.close()
    this.#child.kill("SIGTERM")
    await once(this.#child, "exit")
  }

  #print(answer: object): void {
    for (const { detail = "", severity, summary = "" } of diagnosticsOf(answer)) {
      const text = `${severity === WARNING ? "Warning" : "Error"}: ${summary}${detail === "" ? "" : `. ${detail}`}\n`
      if (!this.#printed.has(text)) process.stdout.write(text)
      this.#printed.add(text)
    }
  }
}

const diagnosticsOf = (answer: object): ReadonlyArray<Message<"Diagnostic">> =>
  (answer as { readonly diagnostics?: ReadonlyArray<Message<"Diagnostic">> }).diagnostics ?? []

export const hasErrors = (answer: object): boolean => diagnosticsOf(answer).some(({ severity }) => severity !== WARNING)
