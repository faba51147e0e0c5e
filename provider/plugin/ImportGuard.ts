/**
 * Refuses to import an instance that another resource of the stack manages. The engine shows a provider no other
 * resources during an import, so the stack is exported with the `pulumi` command.
 */
import { explain, sentence, UserError } from "../api/Errors.ts"
import { nameOf, type Properties } from "../definition/Properties.ts"
import type { StackState } from "../orphans/Orphans.ts"
import type { Session } from "../session/Session.ts"

/** The state of a stack of the current project, by the stack's name. */
export type ReadStack = (stack: string) => Promise<StackState>

/** "urn:pulumi:<stack>::<project>" */
const stackOf = (urn: string): string => urn.split("::", 2).join("::")

/** @throws UserError when another resource of the stack has the instance; warns when the stack cannot be exported. */
export const assertNotHeld = async (
  session: Session,
  readStack: ReadStack,
  urn: string,
  { id, outputs }: { readonly id: string; readonly outputs: Properties }
): Promise<void> => {
  const stack = stackOf(urn)
  const name = stack.slice(stack.lastIndexOf(":", stack.indexOf("::") - 1) + 1, stack.indexOf("::"))
  const state = await session.memoize("state of the stack", () => readStack(name)).catch((error: unknown) => {
    session.host.warn(
      `${nameOf(urn)}: whether another resource of the stack manages instance ${id} is not known: `
        + `${sentence(explain(error))} Run \`pulumi preview\`: it fails if one does.`
    )
  })
  const { userId } = outputs
  const other = state?.held.find((one) =>
    one.id === Number(id) && (one.user_id ?? userId) === userId && one.urn !== urn && stackOf(one.urn) === stack
  )
  if (other === undefined) return
  const holder = nameOf(other.urn)
  throw new UserError(
    `${nameOf(urn)}: instance ${id} is already managed by ${holder} in this stack, and was not imported. To give `
      + `${holder} another name, set the option aliases. To manage the instance with this resource instead, run `
      + `\`pulumi state delete '${other.urn}'\` first.`
  )
}
