/** The class that programs use: it only hands its arguments to the engine. What happens then is in `../reverse-dns`. */
import type * as pulumi from "@pulumi/pulumi"
import { type ReverseDnsArgs, ReverseDnsResource } from "../classes/Attached.ts"
import { REVERSE_DNS } from "../reverse-dns/Definition.ts"
import { propertiesOf } from "./Register.ts"
import { REVERSE_DNS_TEXT } from "./ProviderText.ts"

/**
 * The reverse DNS (PTR) record of an address. The service can set one but not read it back, so a record that somebody
 * else changed is not noticed.
 *
 * @example
 * new ReverseDns("web", { instanceId: web.id, ip: web.ipv4, ptr: "web.example.com" })
 */
export class ReverseDns extends ReverseDnsResource {
  /** What policy packs know the class by: see `validateResourceOfType` of `@pulumi/policy`. */
  static readonly __pulumiType = "pulumi-nodejs:dynamic/vps:ReverseDns"

  constructor(name: string, args: ReverseDnsArgs, opts?: pulumi.CustomResourceOptions) {
    const properties = propertiesOf(REVERSE_DNS, name, args, opts?.parent, REVERSE_DNS_TEXT)
    super(ReverseDns.__pulumiType, name, properties, opts)
  }
}
