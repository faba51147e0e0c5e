/** Finds a plan, an image or an ISO by its name in a list of the API. */
import type { View } from "@pulumi-vps/sdk/client/host/View"
import type { Iso, OsOption, OsOptions, PublicPlan } from "@pulumi-vps/sdk/client/Records"
import { didYouMean } from "@pulumi-vps/sdk/Suggestions"
import { UserError } from "./Errors.ts"

/** @throws UserError with similar names when there is none, and with the ids when there are several. */
const only = <A>(
  what: string,
  typed: string,
  all: ReadonlyArray<A>,
  nameOf: (one: A) => string,
  idOf: (one: A) => number
): A => {
  const named = all.filter((one) => nameOf(one) === typed)
  if (named.length === 1) return named[0]!
  const name = `${what} ${JSON.stringify(typed)}`
  throw new UserError(
    named.length === 0
      ? `there is no ${name}. ${didYouMean(typed, all.map(nameOf))}`
      : `${named.length} have the ${name}: ${named.map(idOf).join(", ")}. Use the id`
  )
}

/** @throws UserError when no plan, or more than one, has the slug. */
export const planOf = (slug: string, plans: ReadonlyArray<PublicPlan>): PublicPlan =>
  only("plan", slug, plans, (one) => one.slug, (one) => one.id)

/** @throws UserError when the plan cannot run the image. */
export const imageOf = (slug: string, { os_options: images = [] }: OsOptions): OsOption =>
  only("image", slug, images, (one) => one.slug, (one) => one.os_id)

type NamedIso = View<Iso> & Pick<Iso, "id" | "name">

const isNamed = (iso: View<Iso>): iso is NamedIso => iso.id !== undefined && iso.name !== undefined

/**
 * @throws UserError when no image in the library, or more than one, has the name, or the host does not show the names
 * and the ids of the images.
 */
export const isoOf = (name: string, isos: ReadonlyArray<View<Iso>> | undefined): NamedIso => {
  const named = isos?.filter(isNamed) ?? []
  if (isos === undefined || named.length < isos.length) {
    throw new UserError("this host does not show the names and ids of ISO images. Set the id of the image instead")
  }
  return only("ISO", name, named, (one) => one.name, (one) => one.id)
}
