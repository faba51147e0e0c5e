import type { OsOptions, PublicPlan } from "../Records.ts"
import type { CallOptions } from "../options/Options.ts"
import { read } from "./Endpoint.ts"

/** The plans you can buy, and their images. */
export const services = {
  /**
   * Lists the plans you can buy.
   *
   * @example
   * const plans = await vps.services.list()
   * plans.sort((a, b) => a.price - b.price)
   * console.log(plans[0]?.slug)
   */
  list: read<(options?: CallOptions) => Array<PublicPlan>>("GET /services", { list: true }),

  /**
   * Returns the images that a plan can run. Pass an image's `slug` as `os`.
   *
   * @example
   * const { location_label, os_options = [] } = await vps.services.osOptions(1)
   * console.log(location_label, os_options.map(({ slug }) => slug))
   */
  osOptions: read<(service_id: number, options?: CallOptions) => OsOptions>("GET /services/:service_id/os-options")
}
