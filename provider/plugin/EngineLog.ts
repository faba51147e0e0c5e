/** What the user is shown, in the row of the resource that it is about. */
import { engine, engineServices, grpc } from "./Proto.ts"

/** As the engine numbers them. */
const SEVERITY = { info: 1, warning: 2 } as const

export interface Line {
  readonly severity: keyof typeof SEVERITY
  readonly message: string
  readonly urn: string
  /** Shown while it is news, and left out of the summary. */
  readonly ephemeral: boolean
}

export class EngineLog {
  #client: InstanceType<typeof engineServices.EngineClient> | undefined
  readonly #onTheirWay = new Set<Promise<void>>()

  /** Lines go to this engine from now on: a plugin that is debugged outlives its engines. */
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
    // An engine that can't be told is gone; whoever works for it finds that out at the next checkpoint.
    const sent = new Promise<void>((resolve) => {
      if (this.#client === undefined) resolve()
      else this.#client.log(request, () => resolve())
    })
    this.#onTheirWay.add(sent)
    void sent.then(() => this.#onTheirWay.delete(sent))
  }

  /** Resolves when every line has been taken: one that is still on its way when a call is answered may get lost. */
  async flush(): Promise<void> {
    await Promise.all(this.#onTheirWay)
  }
}
