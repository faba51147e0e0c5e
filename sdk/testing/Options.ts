/** The options of an emulator. */
import type { CatalogueDocument, DeployMode, Treatment } from "#service/Embedded"

/** The duration of deployments. */
export interface DeploySetting {
  /**
   * - `instant`: immediately
   * - `after_ms`: after `value` milliseconds of the emulator's clock
   * - `after_polls`: when the instance has been read `value` times
   */
  readonly mode: DeployMode
  /** Milliseconds (default 1,000) or reads (default 1), at most 86,400,000; unused for `instant`. */
  readonly value?: number
}

/** Overrides of the standard seed. `reset()` restores it. */
export interface Seed {
  /** Balance of account 1: 0 to 1,000,000,000 with two decimals. Default 1000. */
  readonly wallet?: number
  /** Currency of that wallet, ISO 4217. The standard catalogue has prices in EUR only. Default `EUR`. */
  readonly currency?: string
  /** Default `domestic`. */
  readonly vat_treatment?: Treatment
  /** The customer's VAT rate in percent. Default 19. */
  readonly vat_rate?: number
  /** Plans, images, ISOs, and data centers to add or replace by ID, as for `vps-service admin catalogue import`. */
  readonly catalogue?: CatalogueDocument
  /** Default: `after_ms` with 1,000. */
  readonly deploy?: DeploySetting
  /** Initial time (ISO 8601; default: the system time), and whether the clock is frozen. */
  readonly clock?: { readonly now?: string; readonly frozen?: boolean }
}

/** The options of `startEmulator`. */
export interface EmulatorOptions {
  readonly seed?: Seed
  /** Port on 127.0.0.1. Default: a free one. */
  readonly port?: number
  /** Enables the rate limits of a production service. Default false. */
  readonly rateLimits?: boolean
  /** Returns 422 instead of the original instance for a reused idempotency key with another body. Default false. */
  readonly strictIdempotency?: boolean
  /** Receives each line of the service's log (requests, emails, errors) as JSON. Default: no log. */
  readonly log?: (line: string) => void
}
