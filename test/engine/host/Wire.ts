/** The engine's protocol, as the real SDK and the real dynamic host speak it: message classes, structs, secrets. */
import type * as Grpc from "@grpc/grpc-js"
import type * as EngineServices from "@pulumi/pulumi/proto/engine_grpc_pb.js"
import type * as EngineMessages from "@pulumi/pulumi/proto/engine_pb.js"
import type * as ProviderServices from "@pulumi/pulumi/proto/provider_grpc_pb.js"
import type * as ProviderMessages from "@pulumi/pulumi/proto/provider_pb.js"
import type * as ResourceServices from "@pulumi/pulumi/proto/resource_grpc_pb.js"
import type * as ResourceMessages from "@pulumi/pulumi/proto/resource_pb.js"
import { createRequire } from "node:module"

// The generated code is CommonJS whose exports are unknown before it runs.
const require = createRequire(import.meta.url)
export const grpc = require("@grpc/grpc-js") as typeof Grpc
export const provider = require("@pulumi/pulumi/proto/provider_pb.js") as typeof ProviderMessages
export const resource = require("@pulumi/pulumi/proto/resource_pb.js") as typeof ResourceMessages
export const engine = require("@pulumi/pulumi/proto/engine_pb.js") as typeof EngineMessages
export const services = {
  ...require("@pulumi/pulumi/proto/provider_grpc_pb.js") as typeof ProviderServices,
  ...require("@pulumi/pulumi/proto/resource_grpc_pb.js") as typeof ResourceServices,
  ...require("@pulumi/pulumi/proto/engine_grpc_pb.js") as typeof EngineServices
}

interface StatusMessage {
  readonly getDetailsList: () => Array<{ getValue_asU8: () => Uint8Array }>
}
export const status = require("@pulumi/pulumi/proto/status_pb.js") as {
  Status: { deserializeBinary: (bytes: Uint8Array) => StatusMessage }
}
const { Struct } = require("google-protobuf/google/protobuf/struct_pb.js") as {
  Struct: { fromJavaScript: (value: Values) => StructMessage }
}
export const { Empty } = require("google-protobuf/google/protobuf/empty_pb.js") as { Empty: new() => object }

export type Values = Record<string, unknown>
export interface StructMessage {
  readonly toJavaScript: () => Values
}

/** Typed as the generated declarations want it. */
export const toStruct = (values: Values) => Struct.fromJavaScript(values) as never
export const fromStruct = (message: unknown): Values => (message as StructMessage | undefined)?.toJavaScript() ?? {}

/** The marker of a secret value on the wire. */
const SIGNATURE = "4dabf18193072939515e22adb298388d"
const SECRET = "1b47061264138c4ac30d75fd1eb44270"

const isSecret = (value: unknown): value is { value: unknown } =>
  value !== null && typeof value === "object" && (value as Values)[SIGNATURE] === SECRET

export const secret = (value: unknown): unknown => ({ [SIGNATURE]: SECRET, value })

/** The names of the properties that are, or hold, secrets. */
export const secretsIn = (values: Values): ReadonlyArray<string> =>
  Object.keys(values).filter((name) => JSON.stringify(values[name] ?? null).includes(SECRET))

/** The plain values, for a provider that doesn't accept secrets. */
export const unwrap = (value: unknown): unknown => {
  if (isSecret(value)) return unwrap(value.value)
  if (Array.isArray(value)) return value.map(unwrap)
  if (value === null || typeof value !== "object") return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, unwrap(inner)]))
}

export const unwrapAll = (values: Values): Values => unwrap(values) as Values

/** Marks what comes back from such a provider, by name. */
export const wrapAll = (values: Values, names: ReadonlyArray<string>): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const mark = names.includes(name) && !isSecret(value)
      return [name, mark ? secret(value) : value]
    })
  )

/** In place of a value that a preview can't know. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
