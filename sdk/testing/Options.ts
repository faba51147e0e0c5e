/** What an emulator can be told before it starts. */
import type { CatalogueDocument, DeployMode, Treatment } from "#service/Embedded"

/** When deployments count as finished. */
export interface DeploySetting {
  /**
   * - `instant`: at once
   * - `after_ms`: after so many milliseconds of the emulator's clock
   * - `after_polls`: when the instance has been read so many times
   */
  readonly mode: DeployMode
  /** Milliseconds (default 1,000) or reads (default 1), at most 86,400,000; not used by `instant`. */
  readonly value?: number
}

/** What is different from the standard seed. `reset()` goes back to it. */
export interface Seed {
  /** What account 1 has in its wallet: 0 to 1,000,000,000 with two decimals. Default 1000. */
  readonly wallet?: number
  /** Currency of that wallet, ISO 4217. Plans of the standard catalogue are sold in EUR only. Default `EUR`. */
  readonly currency?: string
  /** Default `domestic`. */
  readonly vat_treatment?: Treatment
  /** The customer's VAT rate in percent. Default 19. */
  readonly vat_rate?: number
  /**
   * Plans, images, ISOs and data centres, added to the standard ones or in the place of those with the same id: what
   * `vps-service admin catalogue import` takes.
   */
  readonly catalogue?: CatalogueDocument
  /** Default: 1,000 ms after the create. */
  readonly deploy?: DeploySetting
  /** What the clock shows at first (ISO 8601; default: the machine's time), and whether it stands still. */
  readonly clock?: { readonly now?: string; readonly frozen?: boolean }
}

/** How an emulator starts. */
export interface EmulatorOptions {
  readonly seed?: Seed
  /** On 127.0.0.1. Default: a free one. */
  readonly port?: number
  /** Whether requests and creates are limited as on a real host. Default false. */
  readonly rateLimits?: boolean
  /** Whether a known idempotency key with another body is a 422 instead of the original instance. Default false. */
  readonly strictIdempotency?: boolean
  /** Gets each line of the service's log (requests, mails that would go out, defects) as JSON. Default: nobody does. */
  readonly log?: (line: string) => void
}
