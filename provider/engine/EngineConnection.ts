/** Detects the end of the engine that started this process: after a kill -9 of `pulumi` its providers stay alive. */
import { type ClientHttp2Session, connect } from "node:http2"

const ADDRESS = /^.+:\d+$/
/** ms; the engine runs beside this process: a slower response means a busy CPU, not a dead engine. */
const CONNECT_TIMEOUT = 5_000

/**
 * Holds one connection to the engine's gRPC server, as the protocol expects, so that the operating system reports the
 * engine's end. A check is free then, which it has to be: every purchase checks, and to connect each time took a tenth
 * of the cost of an `up` of hundreds of instances.
 */
export class EngineConnection {
  readonly #address: string | undefined
  readonly #ended: () => void
  #session: ClientHttp2Session | undefined
  #connecting: Promise<boolean> | undefined

  /**
   * `address` is `host:port`, as the engine passes it to its providers; without one the engine counts as alive. `ended`
   * is called when the engine ends after it was connected: an idle provider would otherwise stay forever.
   */
  constructor(address: string | undefined, ended: () => void = () => undefined) {
    this.#address = address !== undefined && ADDRESS.test(address) ? address : undefined
    this.#ended = ended
  }

  connectsTo(address: string): boolean {
    return this.#address === address
  }

  /**
   * Only a refused connection counts as the engine's end: to end the process by mistake would lose work, to continue by
   * mistake does at most one idempotent step.
   */
  isAlive(): Promise<boolean> {
    if (this.#address === undefined || this.#session !== undefined) return Promise.resolve(true)
    this.#connecting ??= this.#connect(this.#address).finally(() => this.#connecting = undefined)
    return this.#connecting
  }

  #connect(address: string): Promise<boolean> {
    return new Promise((resolve) => {
      const session = connect(`http://${address}`)
      // An idle provider may end.
      session.unref()
      const timer = setTimeout(() => resolve(true), CONNECT_TIMEOUT).unref()
      session.once("connect", () => {
        clearTimeout(timer)
        this.#session = session
        resolve(true)
      })
      session.on("error", (error: NodeJS.ErrnoException) => resolve(error.code !== "ECONNREFUSED"))
      session.once("close", () => {
        clearTimeout(timer)
        const wasConnected = this.#session === session
        this.#session = undefined
        resolve(true)
        if (wasConnected) void this.isAlive().then((isAlive) => isAlive ? undefined : this.#ended())
      })
    })
  }
}
