/** A new root password. The service says it once and keeps no copy, so it is never asked for a second time. */
import { retryIfBusy } from "../../waiting/Retry.ts"
import { explain, isRefusal, sentence, UserError } from "../../api/Errors.ts"
import { findStartedTask, requestIdFor, type Work } from "./Work.ts"

const rotationRequestId = (work: Work): string => requestIdFor(work, "password", work.inputs.passwordRotation)

/** Has an earlier run of this update set it, and was cut off before the state held it? */
export const isRotated = async (work: Work): Promise<boolean> =>
  (await findStartedTask(work, rotationRequestId(work)))?.status === "succeeded"

/** A password was set that nobody here has seen. */
export const recordLostPassword = (work: Work): void => {
  const { instance, state, name, session } = work
  work.state = { ...state, passwordRotation: work.inputs.passwordRotation, rootPassword: undefined }
  session.host.warn(
    `${name}: a new root password was set on server ${instance.id}, but the answer that held it was lost. The service `
      + "has mailed a copy to the owner of the account; another passwordRotation sets another password"
  )
}

export const rotatePassword = async (work: Work): Promise<void> => {
  const { inputs, name, session } = work
  const { id } = work.instance
  const requestId = rotationRequestId(work)
  try {
    const { password } = await retryIfBusy(
      session,
      name,
      work.deadline,
      () => session.api.resetPassword(id, requestId)
    )
    work.state = { ...work.state, passwordRotation: inputs.passwordRotation, rootPassword: password }
  } catch (error) {
    if (isRefusal(error)) throw error
    // The service keeps a failed attempt as failed; only one that succeeded has set a password.
    if (!await isRotated(work)) {
      throw new UserError(`${sentence(explain(error))} No password was set, as far as the activity feed shows`, {
        cause: error
      })
    }
    recordLostPassword(work)
  }
}
