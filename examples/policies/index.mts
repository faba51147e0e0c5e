/**
 * Policies for instances. They apply to programs in every language.
 *
 * Shows: the preview fails for a plan that is not approved, and for an instance without a maximum charge.
 *
 *   npm install --prefix policies
 *   VPS_BASE_URL=https://host/api/v1 VPS_API_KEY=vps_live_... pulumi up --policy-pack policies
 *
 * The extension is `.mts` so that Node runs the file itself: Pulumi would compile a `.ts` file with an old TypeScript.
 */
import { PolicyPack, validateResourceOfType } from "@pulumi/policy"
import { Instance } from "pulumi-vps/pulumi"

/** Plan IDs from `GET /services`. */
const PLANS = [1, 3]

export const pack = new PolicyPack("vps", {
  enforcementLevel: "mandatory",
  policies: [
    {
      name: "approved-plans",
      description: "Instances must use an approved plan.",
      // The plan of a program that sets `plan` is a `serviceId` here, too.
      validateResource: validateResourceOfType(Instance, ({ serviceId }, _, report) => {
        if (!PLANS.some((plan) => plan === serviceId)) {
          report(`serviceId ${serviceId} is not one of ${PLANS.join(", ")}`)
        }
      })
    },
    {
      name: "limited-charge",
      description: "Instances must have a maximum charge.",
      validateResource: validateResourceOfType(Instance, ({ maxCharge }, _, report) => {
        if (maxCharge === undefined) report("maxCharge is missing")
      })
    }
  ]
})
