/** Is the engine that started this process still there? After a kill -9 of `pulumi` its providers live on. */
import { type ClientHttp2Session, connect } from "node:http2"

const ADDRESS = /^.+:\d+$/
/** ms; the engine is on this machine: an answer that takes longer is a busy machine, not a dead engine. */
const CONNECT_TIMEOUT = 5_000

/**
 * Holds one connection to the engine's gRPC server, as the protocol wants it, and so hears from the system itself when
 * the engine ends. Asking is free then, which it has to be: every purchase asks, and to connect each time took a tenth
 * of what an `up` of hundreds of instances costs.
 */
export class EngineConnection {
  readonly #address: string | undefined
  readonly #ended: () => void
  #session: ClientHttp2Session | undefined
  #asking: Promise<boolean> | undefined

  /**
   * `address` as the engine gives it to its providers, `host:port`; without one nothing can be said of the engine.
   * `ended` is called when the engine ends after it was there: a provider that it left with nothing to do would
   * otherwise stay for ever.
   */
  constructor(address: string | undefined, ended: () => void = () => undefined) {
    this.#address = address !== undefined && ADDRESS.test(address) ? address : undefined
    this.#ended = ended
  }

  /** Is this where the engine is? */
  connectsTo(address: string): boolean {
    return this.#address === address
  }

  /**
   * Does anything listen where the engine said it does? Only a refused connection counts as gone: ending the process by
   * mistake would lose work, going on by mistake does at most one idempotent step.
   */
  isAlive(): Promise<boolean> {
    if (this.#address === undefined || this.#session !== undefined) return Promise.resolve(true)
    this.#asking ??= this.#connect(this.#address).finally(() => this.#asking = undefined)
    return this.#asking
  }

  #connect(address: string): Promise<boolean> {
    return new Promise((resolve) => {
      const session = connect(`http://${address}`)
      // A provider that has nothing else to do may end.
      session.unref()
      const late = setTimeout(() => resolve(true), CONNECT_TIMEOUT).unref()
      session.once("connect", () => {
        clearTimeout(late)
        this.#session = session
        resolve(true)
      })
      session.on("error", (error: NodeJS.ErrnoException) => resolve(error.code !== "ECONNREFUSED"))
      session.once("close", () => {
        clearTimeout(late)
        const wasThere = this.#session === session
        this.#session = undefined
        resolve(true)
        if (wasThere) void this.isAlive().then((isThere) => isThere ? undefined : this.#ended())
      })
    })
  }
}
