/**
 * Plugin protocol 6 of Terraform and OpenTofu: the numbers of its fields, and go-plugin's handshake. Only what this
 * provider reads or writes; its documentation is `docs/plugin-protocol` in OpenTofu's repository.
 */
import { codec, type MessageOf, type Tables } from "./Protobuf.ts"

/** Diagnostic.Severity */
export const ERROR = 1
export const WARNING = 2

const VALUE = "DynamicValue"
const DIAGNOSTICS = ["Diagnostic"] as const

const MESSAGES = {
  Empty: {},
  HealthCheckResponse: { status: [1, "int"] },
  DynamicValue: { msgpack: [1, "bytes"], json: [2, "bytes"] },
  Diagnostic: {
    severity: [1, "int"],
    summary: [2, "string"],
    detail: [3, "string"],
    attribute: [4, "AttributePath"]
  },
  AttributePath: { steps: [1, ["AttributePath.Step"]] },
  "AttributePath.Step": { attribute_name: [1, "string"], element_key_string: [2, "string"] },
  RawState: { json: [1, "bytes"] },
  ServerCapabilities: { plan_destroy: [1, "bool"], get_provider_schema_optional: [2, "bool"] },
  ClientCapabilities: { write_only_attributes_allowed: [2, "bool"] },
  Schema: { version: [1, "int"], block: [2, "Schema.Block"] },
  "Schema.Block": {
    version: [1, "int"],
    attributes: [2, ["Schema.Attribute"]],
    description: [4, "string"],
    description_kind: [5, "int"]
  },
  "Schema.Attribute": {
    name: [1, "string"],
    type: [2, "bytes"],
    description: [3, "string"],
    required: [4, "bool"],
    optional: [5, "bool"],
    computed: [6, "bool"],
    sensitive: [7, "bool"],
    description_kind: [8, "int"],
    write_only: [11, "bool"]
  },
  TypeName: { type_name: [1, "string"] },
  ImportedResource: { type_name: [1, "string"], state: [2, VALUE], private: [3, "bytes"] },
  "GetMetadata.Request": {},
  "GetMetadata.Response": {
    server_capabilities: [1, "ServerCapabilities"],
    diagnostics: [2, DIAGNOSTICS],
    data_sources: [3, ["TypeName"]],
    resources: [4, ["TypeName"]]
  },
  "GetProviderSchema.Request": {},
  "GetProviderSchema.Response": {
    provider: [1, "Schema"],
    resource_schemas: [2, { map: "Schema" }],
    data_source_schemas: [3, { map: "Schema" }],
    diagnostics: [4, DIAGNOSTICS],
    server_capabilities: [6, "ServerCapabilities"]
  },
  "ValidateProviderConfig.Request": { config: [1, VALUE] },
  "ValidateProviderConfig.Response": { diagnostics: [2, DIAGNOSTICS] },
  "ValidateResourceConfig.Request": {
    type_name: [1, "string"],
    config: [2, VALUE],
    client_capabilities: [3, "ClientCapabilities"]
  },
  "ValidateResourceConfig.Response": { diagnostics: [1, DIAGNOSTICS] },
  "ValidateDataResourceConfig.Request": { type_name: [1, "string"], config: [2, VALUE] },
  "ValidateDataResourceConfig.Response": { diagnostics: [1, DIAGNOSTICS] },
  "UpgradeResourceState.Request": { type_name: [1, "string"], version: [2, "int"], raw_state: [3, "RawState"] },
  "UpgradeResourceState.Response": { upgraded_state: [1, VALUE], diagnostics: [2, DIAGNOSTICS] },
  "ConfigureProvider.Request": { terraform_version: [1, "string"], config: [2, VALUE] },
  "ConfigureProvider.Response": { diagnostics: [1, DIAGNOSTICS] },
  "ReadResource.Request": { type_name: [1, "string"], current_state: [2, VALUE], private: [3, "bytes"] },
  "ReadResource.Response": { new_state: [1, VALUE], diagnostics: [2, DIAGNOSTICS], private: [3, "bytes"] },
  "PlanResourceChange.Request": {
    type_name: [1, "string"],
    prior_state: [2, VALUE],
    proposed_new_state: [3, VALUE],
    config: [4, VALUE],
    prior_private: [5, "bytes"]
  },
  "PlanResourceChange.Response": {
    planned_state: [1, VALUE],
    requires_replace: [2, ["AttributePath"]],
    planned_private: [3, "bytes"],
    diagnostics: [4, DIAGNOSTICS]
  },
  "ApplyResourceChange.Request": {
    type_name: [1, "string"],
    prior_state: [2, VALUE],
    planned_state: [3, VALUE],
    config: [4, VALUE],
    planned_private: [5, "bytes"]
  },
  "ApplyResourceChange.Response": { new_state: [1, VALUE], private: [2, "bytes"], diagnostics: [3, DIAGNOSTICS] },
  "ImportResourceState.Request": { type_name: [1, "string"], id: [2, "string"] },
  "ImportResourceState.Response": { imported_resources: [1, ["ImportedResource"]], diagnostics: [2, DIAGNOSTICS] },
  "ReadDataSource.Request": { type_name: [1, "string"], config: [2, VALUE] },
  "ReadDataSource.Response": { state: [1, VALUE], diagnostics: [2, DIAGNOSTICS] },
  "StopProvider.Request": {},
  "StopProvider.Response": { error: [1, "string"] }
} as const satisfies Tables

export type MessageName = keyof typeof MESSAGES
export type Message<Name extends MessageName> = MessageOf<typeof MESSAGES, Name>

export const { decode, encode } = codec(MESSAGES)

/** The calls of `tfplugin6.Provider`. */
export type Method = MessageName extends infer Name ? Name extends `${infer One}.Request` ? One : never : never

export const METHODS = Object.keys(MESSAGES).flatMap((name) =>
  name.endsWith(".Request") ? [name.slice(0, -".Request".length) as Method] : []
)

/** The path of a call on the connection. */
export const pathOf = (method: Method): string => `/tfplugin6.Provider/${method}`

/** go-plugin's own services, which it calls at any time. */
export const PLUGIN_SERVICES = {
  shutdown: "/plugin.GRPCController/Shutdown",
  broker: "/plugin.GRPCBroker/StartStream",
  stdio: "/plugin.GRPCStdio/StreamStdio",
  health: "/grpc.health.v1.Health/Check"
} as const

/** grpc.health.v1.HealthCheckResponse.SERVING */
export const SERVING = 1

/** The variable that the engine sets, so that a provider can refuse to be started by a person. */
export const MAGIC_COOKIE = {
  name: "TF_PLUGIN_MAGIC_COOKIE",
  value: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2"
} as const

/** The engine's certificate, in PEM: with it, both sides must use TLS. */
export const CLIENT_CERTIFICATE = "PLUGIN_CLIENT_CERT"

/** go-plugin's protocol and the provider's; the first line on standard output. */
export const handshake = (network: "unix" | "tcp", address: string, certificate: Buffer | undefined): string =>
  `1|6|${network}|${address}|grpc|${
    certificate === undefined ? "" : certificate.toString("base64").replaceAll("=", "")
  }`
