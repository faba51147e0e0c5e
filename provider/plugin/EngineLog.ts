/** Sends messages to the engine, which shows each in the row of its resource. */
import { engine, engineServices, grpc } from "./Proto.ts"

/** The engine's numbers. */
const SEVERITY = { info: 1, warning: 2 } as const

export interface Line {
  readonly severity: keyof typeof SEVERITY
  readonly message: string
  readonly urn: string
  /** Shown live, and left out of the summary. */
  readonly ephemeral: boolean
}

export class EngineLog {
  #client: InstanceType<typeof engineServices.EngineClient> | undefined
  readonly #pending = new Set<Promise<void>>()

  /** Sends later lines to this engine: a plugin in a debugger outlives its engines. */
  connect(address: string): void {
    this.#client?.close()
    this.#client = new engineServices.EngineClient(address, grpc.credentials.createInsecure())
  }

  write({ ephemeral, message, severity, urn }: Line): void {
    const request = new engine.LogRequest()
    request.setSeverity(SEVERITY[severity])
    request.setMessage(message)
    request.setUrn(urn)
    request.setEphemeral(ephemeral)
    // An unreachable engine is gone, which the next checkpoint detects.
    const sent = new Promise<void>((resolve) => {
      if (this.#client === undefined) resolve()
      else this.#client.log(request, () => resolve())
    })
    this.#pending.add(sent)
    void sent.then(() => this.#pending.delete(sent))
  }

  /** Resolves when every line has arrived: a line that is still in flight when a call is answered may get lost. */
  async flush(): Promise<void> {
    await Promise.all(this.#pending)
  }
}
