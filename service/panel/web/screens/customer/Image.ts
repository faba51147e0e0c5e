/** The images that a plan can run, and its data center, by the names under which they are sold. */
import { useRead } from "../../api/calls.ts"
import { useAccountId } from "../../api/session.ts"

const OPTIONS = "/accounts/:account/v1/services/:service_id/os-options"

export const useOptions = (plan: number) => useRead(OPTIONS, { params: { account: useAccountId(), service_id: plan } })

/** Such as "Debian 13": an image as it is sold; its slug if it is sold no more. */
export const useImageName = (plan: number, slug: string | null | undefined): string => {
  const { data } = useOptions(plan)
  const found = data?.os_options?.find((one) => one.slug === slug)
  return found === undefined ? slug ?? "–" : `${found.label} ${found.version}`
}

/** The data center of a plan; undefined while it is unknown. */
export const useLocationLabel = (plan: number): string | undefined => useOptions(plan).data?.location_label
