/**
 * Instances of two accounts in one program, with the plugin.
 *
 * Shows: an explicit provider per account, each with its own key, and an instance of each.
 *
 *   pulumi stack init two-accounts
 *   pulumi config set --secret shopKey vps_live_...
 *   pulumi config set --secret blogKey vps_live_...
 *   VPS_BASE_URL=https://host/api/v1 pulumi up
 */
import { Config } from "@pulumi/pulumi"
import * as vps from "pulumi-vps/pulumi"

const config = new Config("two-accounts")
const shop = new vps.Provider("shop", { apiKey: config.requireSecret("shopKey") })
const blog = new vps.Provider("blog", { apiKey: config.requireSecret("blogKey"), maxChargePerUpdate: 20 })

const instance = (name: string, provider: vps.Provider) =>
  new vps.Instance(name, { serviceId: 1, hostname: `${name}.example.com`, deletionPolicy: "stop" }, { provider })

export const shopAddress = instance("shop", shop).ipv4
export const blogAddress = instance("blog", blog).ipv4
