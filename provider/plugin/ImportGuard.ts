/** Refuses to import an instance that another resource of the stack manages. */
import { UserError } from "../api/Errors.ts"
import { nameOf, type Properties } from "../definition/Properties.ts"
import type { Session } from "../session/Session.ts"
import { otherInState, removeFromState } from "../session/Stack.ts"

/** @throws UserError when another resource of the stack has the instance; warns when the stack cannot be exported. */
export const assertNotHeld = async (
  session: Session,
  urn: string,
  { id, outputs }: { readonly id: string; readonly outputs: Properties }
): Promise<void> => {
  const instance = { id: Number(id), userId: outputs["userId"] }
  const other = await otherInState(session, urn, instance, "Run `pulumi preview`: it fails if one does.")
  if (other === undefined) return
  const holder = nameOf(other.urn)
  throw new UserError(
    `${nameOf(urn)}: instance ${id} is already managed by ${holder} in this stack, and was not imported. To give `
      + `${holder} another name, set the option aliases. To manage the instance with this resource instead, `
      + `${removeFromState(holder)} first.`
  )
}
