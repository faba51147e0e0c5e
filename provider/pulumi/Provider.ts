import type * as pulumi from "@pulumi/pulumi"
import { secret } from "@pulumi/pulumi/output.js"
import { mergeOptions, ProviderResource } from "@pulumi/pulumi/resource.js"
import type { DeletionPolicy, WaitFor } from "../Config.ts"
import { PACKAGE } from "./Register.ts"

/** The arguments of a {@link Provider}. Settings that are left out come from the environment. */
export interface ProviderArgs {
  /** The account's API key; always stored as a secret. Overrides `VPS_API_KEY`. */
  readonly apiKey?: pulumi.Input<string>
  /** Address of the API with its prefix, such as `https://api.example.com/api/v1`. Overrides `VPS_BASE_URL`. */
  readonly baseUrl?: pulumi.Input<string>
  /** The default of the Instances. `VPS_DELETION_POLICY` overrides both, also at destroy time. */
  readonly deletionPolicy?: pulumi.Input<DeletionPolicy>
  /** Maximum charge for all purchases and resizes of one update, in units of the wallet's currency. */
  readonly maxChargePerUpdate?: pulumi.Input<number>
  /** Any text, part of every purchase key: for stacks that share project, stack and resource names. */
  readonly idempotencyScope?: pulumi.Input<string>
  /** The `generation` of Instances whose program sets none, by their names. */
  readonly generations?: pulumi.Input<Readonly<Record<string, pulumi.Input<number>>>>
  /** The default of the Instances' `waitFor`; "ip" by default. */
  readonly waitFor?: pulumi.Input<WaitFor>
  /** Timeout of one request, such as "30s". */
  readonly requestTimeout?: pulumi.Input<string>
}

/**
 * Another account than the one of the stack's configuration.
 *
 * @example
 * const shop = new Provider("shop", { apiKey: config.requireSecret("shopKey") })
 * const web = new Instance("web", { serviceId: 1 }, { provider: shop })
 */
export class Provider extends ProviderResource {
  constructor(name: string, args: ProviderArgs = {}, opts?: pulumi.ResourceOptions) {
    const apiKey = args.apiKey === undefined ? undefined : secret(args.apiKey)
    super("vps", name, { ...args, apiKey }, mergeOptions({ ...PACKAGE }, opts))
  }
}
