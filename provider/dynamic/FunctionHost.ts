/** Calls functions in the program's own process, with the stack's settings. */
import type { Api } from "../api/Api.ts"
import { readSettings, type SettingName, type Settings } from "../Config.ts"
import type { Properties } from "../definition/Properties.ts"
import { callFunction, type FunctionName } from "../functions/Functions.ts"

export class FunctionHost {
  readonly #connect: (settings: Settings) => Api
  /** By settings: an Automation API program can run several stacks in one process, each with its own. */
  readonly #apis = new Map<string, Api>()

  constructor(connect: (settings: Settings) => Api) {
    this.#connect = connect
  }

  /**
   * `configured` returns the stack's `vps:<name>`.
   * @throws UserError with one sentence, and the cause.
   */
  async call(
    name: FunctionName,
    args: Properties,
    configured: (name: SettingName) => string | undefined
  ): Promise<unknown> {
    return await callFunction(this.#api(readSettings(configured)), name, args)
  }

  #api(settings: Settings): Api {
    const identity = JSON.stringify([settings.baseUrl, settings.apiKey, settings.requestTimeout])
    const api = this.#apis.get(identity) ?? this.#connect(settings)
    this.#apis.set(identity, api)
    return api
  }
}
