/** The ISO image by its name: the library is listed per instance, so the id is found when the instance is known. */
import { isoOf } from "../api/ByName.ts"
import { explain, UserError } from "../api/Errors.ts"
import { isUnknown, nameOf, type Properties, UNKNOWN } from "../definition/Properties.ts"
import type { Session } from "../session/Session.ts"

/**
 * The inputs with the `isoId` of an `iso`. Sends no request for the image that `known` has under this name: the outputs
 * of the instance.
 * @throws UserError when the library has no image with this name.
 */
export const withIso = async (
  session: Session,
  id: number,
  { iso: mounted, isoId }: { readonly iso?: unknown; readonly isoId?: unknown },
  inputs: Properties
): Promise<Properties> => {
  const { iso } = inputs
  if (iso === undefined) return inputs
  if (isUnknown(iso)) return { ...inputs, isoId: UNKNOWN }
  if (iso === mounted && typeof isoId === "number") return { ...inputs, isoId }
  try {
    const isos = await session.memoize(`ISOs of ${id}`, () => session.api.isos(id))
    return { ...inputs, isoId: isoOf(String(iso), isos).id }
  } catch (error) {
    throw new UserError(`${nameOf(inputs["__urn"])}: the ISO of instance ${id} was not found: ${explain(error)}`, error)
  }
}
