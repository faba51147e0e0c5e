/**
 * Policies for servers, in whatever language the programs are written that they judge.
 *
 * Shows: a preview fails for another plan than the agreed ones, and for a server without a limit of what it charges.
 *
 *   npm install --prefix policies
 *   VPS_BASE_URL=https://host/api/v1 VPS_API_KEY=vps_live_... pulumi up --policy-pack policies
 *
 * `.mts`, so that Node runs it as it is: Pulumi would compile a `.ts` with a TypeScript of 2020.
 */
import { PolicyPack, validateResourceOfType } from "@pulumi/policy"
import { Instance } from "pulumi-vps/pulumi"

/** Ids from `GET /services`. */
const PLANS = [1, 3]

export const pack = new PolicyPack("vps", {
  enforcementLevel: "mandatory",
  policies: [
    {
      name: "agreed-plans",
      description: "Servers are of an agreed plan.",
      validateResource: validateResourceOfType(Instance, ({ serviceId }, _, report) => {
        if (!PLANS.includes(serviceId)) report(`serviceId ${serviceId} is none of ${PLANS.join(", ")}`)
      })
    },
    {
      name: "limited-charge",
      description: "What a server may charge is limited.",
      validateResource: validateResourceOfType(Instance, ({ maxCharge }, _, report) => {
        if (maxCharge === undefined) report("maxCharge is missing")
      })
    }
  ]
})
