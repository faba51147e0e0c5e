/** The class that programs use: it only hands its arguments to the engine. What happens then is in `../instance`. */
import type * as pulumi from "@pulumi/pulumi"
import { secret } from "@pulumi/pulumi/output.js"
import { mergeOptions } from "@pulumi/pulumi/resource.js"
import { type InstanceArgs, InstanceResource } from "../classes/Instance.ts"
import { INSTANCE } from "../instance/Definition.ts"
import { propertiesOf } from "./Register.ts"
import { INSTANCE_TEXT } from "./ProviderText.ts"

/**
 * A virtual private server. It is bought once per name, never replaced (but for a changed `generation`), and never
 * silently dropped: a failed `up` that is run again goes on with the same server.
 *
 * @example
 * const web = new Instance("web", { serviceId: 1, hostname: "web.example.com", deletionPolicy: "stop", maxCharge: 10 })
 * export const address = web.ipv4
 */
export class Instance extends InstanceResource {
  /** What policy packs know the class by: see `validateResourceOfType` of `@pulumi/policy`. */
  static readonly __pulumiType = "pulumi-nodejs:dynamic/vps:Instance"

  constructor(name: string, args: InstanceArgs, opts?: pulumi.CustomResourceOptions) {
    const rootPassword = args.rootPassword === undefined ? undefined : secret(args.rootPassword)
    super(
      Instance.__pulumiType,
      name,
      propertiesOf(INSTANCE, name, { ...args, rootPassword }, opts?.parent, INSTANCE_TEXT),
      mergeOptions(opts, { additionalSecretOutputs: SECRETS })
    )
  }
}

/** `__rootPassword` is the one that the program gives, where another one is set. */
const SECRETS = ["rootPassword", "__rootPassword"]
