import type * as pulumi from "@pulumi/pulumi"
import { secret } from "@pulumi/pulumi/output.js"
import { mergeOptions, ProviderResource } from "@pulumi/pulumi/resource.js"
import type { DeletionPolicy, WaitFor } from "../Config.ts"
import { PACKAGE } from "./Register.ts"

/** What may be given for a {@link Provider}; what is absent comes from the environment. */
export interface ProviderArgs {
  /** The account's API key; always stored as a secret. Wins over `VPS_API_KEY`. */
  readonly apiKey?: pulumi.Input<string>
  /** Address of the API with its prefix, such as `https://api.example.com/api/v1`. Wins over `VPS_BASE_URL`. */
  readonly baseUrl?: pulumi.Input<string>
  /** Of the Instances that say nothing. `VPS_DELETION_POLICY` wins over both, also at destroy. */
  readonly deletionPolicy?: pulumi.Input<DeletionPolicy>
  /** The most that all purchases and resizes of one update may charge, in units of the wallet's currency. */
  readonly maxChargePerUpdate?: pulumi.Input<number>
  /** Any text, part of every purchase key: for stacks that share project, stack and resource names. */
  readonly idempotencyScope?: pulumi.Input<string>
  /** Of the Instances that say nothing; "ip" by default. */
  readonly waitFor?: pulumi.Input<WaitFor>
  /** How long one request may take, such as "30s". */
  readonly requestTimeout?: pulumi.Input<string>
}

/**
 * An account of its own, beside the one of the stack's configuration.
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
