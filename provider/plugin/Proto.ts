/** The protocol's message classes. They are CommonJS, so each module is one default import. */
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

export { any, empty, engine, engineServices, grpc, plugin, provider, services, status, struct }

/** Bytes; the engine's own limit. A state of hundreds of resources never comes near it. */
export const MAX_MESSAGE = 400 * 1024 * 1024
