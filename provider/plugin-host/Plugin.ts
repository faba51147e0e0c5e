/** The calls about the provider as a whole: handshake, configuration, functions, cancellation. */
import type * as PluginMessages from "@pulumi/pulumi/proto/plugin_pb.js"
import type * as Messages from "@pulumi/pulumi/proto/provider_pb.js"
import type { Struct } from "google-protobuf/google/protobuf/struct_pb.js"
import type { Api } from "../api/Api.ts"
import type { Environment, Settings } from "../Config.ts"
import { callFunction, type FunctionName, FUNCTIONS, listField } from "../functions/Functions.ts"
import { Session } from "../session/Session.ts"
import type { Stacks } from "../orphans/Orphans.ts"
import { Accounts, changedSettings, settingsFrom, validateConfig } from "./ProviderConfig.ts"
import { BadRequest, decode, empty, encode, NO_SECRETS, provider, secrecyOf } from "./Proto.ts"
import type { PluginHost } from "./PluginHost.ts"

const FUNCTION = /^vps:index:(\w+)$/
const KEY = ["apiKey"]

export interface PluginEnvironment {
  readonly host: PluginHost
  readonly connect: (settings: Settings) => Api
  readonly environment: Environment
  readonly stacks: Stacks
}

export class Plugin {
  readonly #environment: PluginEnvironment
  readonly #accounts: Accounts
  /**
   * By connection. The engine starts a process for each provider of a program; but with PULUMI_DEBUG_PROVIDERS all of
   * them use one running process, each over a connection of its own.
   */
  readonly #sessions = new Map<string, Session>()

  constructor(environment: PluginEnvironment) {
    this.#environment = environment
    this.#accounts = new Accounts(environment)
  }

  get host(): PluginHost {
    return this.#environment.host
  }

  /** @throws BadRequest when this connection has not been configured. */
  session(peer: string): Session {
    // A long idle connection is reopened from another port; with one provider the session is unambiguous.
    const session = this.#sessions.get(peer) ??
      (this.#sessions.size === 1 ? [...this.#sessions.values()][0] : undefined)
    if (session === undefined) throw new BadRequest("the provider has not been configured on this connection")
    return session
  }

  handshake(request: Messages.ProviderHandshakeRequest): Messages.ProviderHandshakeResponse {
    this.host.serve(request.getEngineAddress())
    const answer = new provider.ProviderHandshakeResponse()
    answer.setAcceptSecrets(true)
    answer.setAcceptResources(false)
    answer.setAcceptOutputs(false)
    return answer
  }

  attach(request: PluginMessages.PluginAttach): object {
    this.host.serve(request.getAddress())
    return new empty.Empty()
  }

  async checkConfig(request: Messages.CheckRequest): Promise<Messages.CheckResponse> {
    const news = decode(request.getNews())
    const urn = request.getUrn()
    const reasons = validateConfig(urn, news.plain, this.#environment.environment)
    const own = reasons.length === 0
      ? await this.#accounts.identify(urn, decode(request.getOlds()).plain, news.plain)
      : {}
    const answer = new provider.CheckResponse()
    // The key is always stored as a secret.
    answer.setInputs(encode({ ...news.plain, ...own }, secrecyOf(KEY, news)))
    answer.setFailuresList(reasons.map((reason) => {
      const failure = new provider.CheckFailure()
      // Without the property's name, because the engine would print its value, which may be the key.
      failure.setReason(reason)
      return failure
    }))
    return answer
  }

  /**
   * Never a replacement: that would replace all resources of the provider, and buy all instances again.
   * @throws UserError when the key belongs to another account than the provider in the state.
   */
  async diffConfig(request: Messages.DiffRequest): Promise<Messages.DiffResponse> {
    const olds = decode(request.getOldInputs() ?? request.getOlds()).plain
    const news = decode(request.getNews()).plain
    await this.#accounts.assertSame(request.getUrn(), olds, news)
    const changed = changedSettings(olds, news)
    const { DIFF_NONE, DIFF_SOME } = provider.DiffResponse.DiffChanges
    const answer = new provider.DiffResponse()
    answer.setChanges(changed.length === 0 ? DIFF_NONE : DIFF_SOME)
    answer.setDiffsList([...changed])
    return answer
  }

  configure(request: Messages.ConfigureRequest, peer: string): Messages.ConfigureResponse {
    const { connect, environment, host, stacks } = this.#environment
    const inputs = decode(request.getArgs()).plain
    const settings = settingsFrom(request.getUrn() ?? "", inputs, environment)
    const api = this.#accounts.share(connect(settings), settings)
    this.#sessions.set(peer, new Session(api, settings, host, stacks))
    const answer = new provider.ConfigureResponse()
    answer.setAcceptsecrets(true)
    answer.setSupportspreview(true)
    answer.setAcceptresources(false)
    answer.setAcceptoutputs(false)
    return answer
  }

  async invoke(request: Messages.InvokeRequest, peer: string): Promise<Messages.InvokeResponse> {
    const [, name = ""] = FUNCTION.exec(request.getTok()) ?? []
    if (!(name in FUNCTIONS)) {
      const all = Object.keys(FUNCTIONS).join(", ")
      throw new BadRequest(`unknown function ${JSON.stringify(request.getTok())}; the functions are ${all}`)
    }
    const called = name as FunctionName
    const args = decode(request.getArgs()).plain
    const result = await callFunction(this.session(peer).api, called, args)
    const list = listField(called)
    const answer = new provider.InvokeResponse()
    answer.setReturn(encode(list === undefined ? { ...result as object } : { [list]: result }, NO_SECRETS) as Struct)
    return answer
  }

  cancel(): object {
    this.host.cancel()
    return new empty.Empty()
  }
}
