/** The class that programs use: it only hands its arguments to the engine. What happens then is in `../reverse-dns`. */
import * as pulumi from "@pulumi/pulumi"
import { type OnDelete, REVERSE_DNS } from "../reverse-dns/Args.ts"
import { handOver } from "./Attached.ts"
import { REVERSE_DNS_TEXT } from "./ProviderText.ts"

/** What may be given for a {@link ReverseDns}. */
export interface ReverseDnsArgs {
  /** The id of the instance that has the address: `instance.id`. A change replaces the resource. */
  readonly instanceId: pulumi.Input<string | number>
  /** An address of that instance, such as `instance.ipv4`; 3 to 45 characters. A change replaces the resource. */
  readonly ip: pulumi.Input<string>
  /** The host name that the address resolves to, 1 to 253 characters. A change is applied in place. */
  readonly ptr: pulumi.Input<string>
  /**
   * What destroying does; the service can't remove a record. "keep" (default): it stays, with a warning.
   * `{resetTo: "host.name"}`: it is set to that name. A change is recorded.
   */
  readonly onDelete?: pulumi.Input<OnDelete>
}

/**
 * The reverse DNS (PTR) record of an address. The service can set one but not read it back, so a record that somebody
 * else changed is not noticed.
 *
 * @example
 * new ReverseDns("web", { instanceId: web.id, ip: web.ipv4, ptr: "web.example.com" })
 */
export class ReverseDns extends pulumi.CustomResource {
  declare readonly instanceId: pulumi.Output<string>
  declare readonly ip: pulumi.Output<string>
  declare readonly ptr: pulumi.Output<string>
  declare readonly onDelete: pulumi.Output<OnDelete | undefined>
  /** The account that owns the instance. */
  declare readonly userId: pulumi.Output<number>

  constructor(name: string, args: ReverseDnsArgs, opts?: pulumi.CustomResourceOptions) {
    const properties = handOver(REVERSE_DNS, name, args, opts?.parent, REVERSE_DNS_TEXT)
    super("pulumi-nodejs:dynamic/vps:ReverseDns", name, properties, opts)
  }
}
