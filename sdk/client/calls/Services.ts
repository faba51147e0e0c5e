import type { OsOptions, PublicPlan } from "../Records.ts"
import type { CallOptions } from "../options/Options.ts"
import { read } from "./Endpoint.ts"

/** The plans you can buy, and their images. */
export const services = {
  /** Lists the plans you can buy. */
  list: read<(options?: CallOptions) => Array<PublicPlan>>("GET /services", { list: true }),

  /** Returns the images that a plan can run. Pass an image's `slug` as `os`. */
  osOptions: read<(service_id: number, options?: CallOptions) => OsOptions>("GET /services/:service_id/os-options")
}
