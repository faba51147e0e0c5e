/** The environment variable with the additional outputs of no-op resources, as JSON. */
export const STORED_BY_NOOP = "NOOP_STORED"

/** A plugin that does nothing, as small as the protocol allows: what the engine and the protocol cost by themselves. */
export const NOOP_PLUGIN = `#!/usr/bin/env node
const grpc = require("@grpc/grpc-js")
const { ResourceProviderService } = require("@pulumi/pulumi/proto/provider_grpc_pb.js")
const pb = require("@pulumi/pulumi/proto/provider_pb.js")
const { PluginInfo } = require("@pulumi/pulumi/proto/plugin_pb.js")
const { Empty } = require("google-protobuf/google/protobuf/empty_pb.js")
const { Struct } = require("google-protobuf/google/protobuf/struct_pb.js")
let made = 0
const { inputs, outputs } = JSON.parse(process.env.${STORED_BY_NOOP} ?? "{}")
const and = (given, more) => more ? Struct.fromJavaScript({ ...given.toJavaScript(), ...more }) : given
const checked = (request) => new pb.CheckResponse().setInputs(request.getNews())
const check = (request) => new pb.CheckResponse().setInputs(and(request.getNews(), inputs))
const same = () => new pb.DiffResponse().setChanges(1)
const methods = {
  handshake: () => new pb.ProviderHandshakeResponse().setAcceptSecrets(true),
  getPluginInfo: () => new PluginInfo().setVersion("1.0.0"),
  checkConfig: checked,
  diffConfig: same,
  configure: () => new pb.ConfigureResponse().setAcceptsecrets(true).setSupportspreview(true),
  check,
  diff: same,
  create: (request) => {
    const given = request.getProperties()
    for (const name in inputs) given.getFieldsMap().del(name)
    return new pb.CreateResponse().setId(String(++made)).setProperties(and(given, outputs))
  },
  delete: () => new Empty(),
  cancel: () => new Empty()
}
const service = Object.fromEntries(Object.keys(ResourceProviderService).map((name) => [
  name,
  (call, reply) => methods[name] ? reply(null, methods[name](call.request)) : reply({ code: 12, details: name })
]))
const server = new grpc.Server()
server.addService(ResourceProviderService, service)
const credentials = grpc.ServerCredentials.createInsecure()
server.bindAsync("127.0.0.1:0", credentials, (_, port) => process.stdout.write(port + "\\n"))
process.on("SIGINT", () => process.exit(0))
`
