/**
 * The message classes of Pulumi's protocol, its properties, in which secrets are marked and unknown values have
 * placeholders, and its errors. The classes are CommonJS, so each module is one default import.
 */
import grpc from "@grpc/grpc-js"
import engineServices from "@pulumi/pulumi/proto/engine_grpc_pb.js"
import engine from "@pulumi/pulumi/proto/engine_pb.js"
import plugin from "@pulumi/pulumi/proto/plugin_pb.js"
import services from "@pulumi/pulumi/proto/provider_grpc_pb.js"
import provider from "@pulumi/pulumi/proto/provider_pb.js"
import status from "@pulumi/pulumi/proto/status_pb.js"
import any from "google-protobuf/google/protobuf/any_pb.js"
import empty from "google-protobuf/google/protobuf/empty_pb.js"
import struct from "google-protobuf/google/protobuf/struct_pb.js"
import type { Struct } from "google-protobuf/google/protobuf/struct_pb.js"
import { type Properties, TIMEOUT, UNKNOWN } from "../definition/Properties.ts"
import type { Metadata } from "@grpc/grpc-js"
import { explain, type PartialCreateError, UserError } from "../api/Errors.ts"

export { empty, engine, engineServices, grpc, plugin, provider, services, status, struct }

/** Bytes; the engine's own limit. A state of hundreds of resources never comes near it. */
export const MAX_MESSAGE = 400 * 1024 * 1024

/** An object with this field is a special value, whose kind is the value of the field. */
const SIGNATURE = "4dabf18193072939515e22adb298388d"
const SECRET = "1b47061264138c4ac30d75fd1eb44270"
/** A value with its dependencies; the engine does not send these at our request, but another client may. */
const OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4"

/** The engine has a placeholder for each type of value; here they are all the same. */
const PLACEHOLDERS: ReadonlySet<unknown> = new Set([
  UNKNOWN,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff"
])

/** A property of the dynamic provider's resources that the plugin does not need. */
const DYNAMIC_ONLY = "__provider"

export interface Decoded {
  /** Without markers, for the lifecycles. */
  readonly plain: Properties
  /** Names of the properties that are or contain a secret. */
  readonly secrets: ReadonlySet<string>
  /** The secret strings, at any depth. */
  readonly texts: ReadonlySet<string>
}

type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields => value !== null && typeof value === "object"

/** The value without markers; calls `found` with every secret. */
const unwrapSecrets = (value: unknown, found: (secret: unknown) => void): unknown => {
  if (PLACEHOLDERS.has(value)) return UNKNOWN
  if (Array.isArray(value)) return value.map((inner) => unwrapSecrets(inner, found))
  if (!isObject(value)) return value
  if (value[SIGNATURE] === SECRET || (value[SIGNATURE] === OUTPUT && value["secret"] === true)) {
    const inner = "value" in value ? unwrapSecrets(value["value"], found) : UNKNOWN
    found(inner)
    return inner
  }
  if (value[SIGNATURE] === OUTPUT) return "value" in value ? unwrapSecrets(value["value"], found) : UNKNOWN
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, unwrapSecrets(inner, found)]))
}

/** A message's properties; an absent message has none. */
export const decode = (message: Struct | undefined): Decoded => {
  const secrets = new Set<string>()
  const texts = new Set<string>()
  const all = Object.entries((message?.toJavaScript() ?? {}) as Fields).filter(([name]) => name !== DYNAMIC_ONLY)
  const plain = Object.fromEntries(all.map(([name, value]) => [
    name,
    unwrapSecrets(value, (secret) => {
      secrets.add(name)
      if (typeof secret === "string" && secret !== "" && secret !== UNKNOWN) texts.add(secret)
    })
  ]))
  return { plain, secrets, texts }
}

/** The properties to mark as secret. */
export interface Secrecy {
  readonly names: ReadonlySet<string>
  /** A string that was received as a secret is sent as one under any name: a pending key has another name. */
  readonly texts: ReadonlySet<string>
}

/** Marks the properties that are always secret, and all that were secret in a received message. */
export const secrecyOf = (always: ReadonlyArray<string>, ...received: ReadonlyArray<Decoded>): Secrecy => ({
  names: new Set([...always, ...received.flatMap(({ secrets }) => [...secrets])]),
  texts: new Set(received.flatMap(({ texts }) => [...texts]))
})

/** A placeholder must not be marked: the engine would take it for a string. */
const markSecret = (value: unknown): unknown =>
  value === UNKNOWN || value === null ? value : { [SIGNATURE]: SECRET, value }

/** Properties that every request repeats are not stored: the engine writes the whole state after each step. */
const TRANSIENT: ReadonlySet<string> = new Set([TIMEOUT, "__urn", "__declared"])

/** Properties as a message; undefined ones are left out, at any depth. `stored`: the properties in the state. */
export const encode = (properties: Properties, { names, texts }: Secrecy, stored: Properties = {}): Struct => {
  const plain = JSON.parse(JSON.stringify(properties)) as Fields
  const persistent = Object.entries(plain).filter(([name]) => !TRANSIENT.has(name) || name in stored)
  const entries = persistent.map(([name, value]): [string, unknown] => [
    name,
    names.has(name) || (typeof value === "string" && texts.has(value)) ? markSecret(value) : value
  ])
  return struct.Struct.fromJavaScript(Object.fromEntries(entries) as never)
}

export const NO_SECRETS: Secrecy = { names: new Set(), texts: new Set() }

/** The shape that the gRPC server expects. */
export interface GrpcError {
  readonly code: number
  readonly details: string
  readonly metadata?: Metadata
}

/** The request itself is invalid: only the author of the engine or of a client can fix it. */
export class BadRequest extends Error {}

/** `name`: the name of the resource in the program, if the call has one. */
export const grpcErrorOf = (error: unknown, name: string | undefined): GrpcError => {
  if (error instanceof BadRequest) return { code: grpc.status.INVALID_ARGUMENT, details: error.message }
  const text = explain(error)
  // Our own errors name the resource; errors of the API do not.
  const details = name === undefined || error instanceof UserError ? text : `${name}: ${text}`
  // Not UNKNOWN, UNAVAILABLE or UNIMPLEMENTED, which have a meaning of their own to the engine and its clients.
  return { code: grpc.status.FAILED_PRECONDITION, details }
}

const DETAIL_TYPE = "pulumirpc.ErrorResourceInitFailed"

/** The resource exists but is not ready: the engine stores it, and calls `update` in the next run. */
export const partialCreateErrorOf = (
  { properties, resourceId }: PartialCreateError,
  reasons: ReadonlyArray<string>,
  secrecy: Secrecy
): GrpcError => {
  const failed = new provider.ErrorResourceInitFailed()
  failed.setId(resourceId)
  failed.setProperties(encode(properties, secrecy))
  failed.setReasonsList([...reasons])
  const detail = new any.Any()
  detail.pack(failed.serializeBinary(), DETAIL_TYPE)
  const message = new status.Status()
  message.setCode(grpc.status.UNKNOWN)
  message.setMessage(reasons.join("\n"))
  message.addDetails(detail)
  const metadata = new grpc.Metadata()
  metadata.add("grpc-status-details-bin", Buffer.from(message.serializeBinary()))
  return { code: grpc.status.UNKNOWN, details: reasons.join("\n"), metadata }
}
