/** Sets a new root password. The service returns it once and stores no copy, so the call is never repeated. */
import { explain, isRefusal, sentence, UserError } from "../../api/Errors.ts"
import { retryIfBusy } from "../../waiting/Retry.ts"
import { findStartedTask, requestIdFor, type Work } from "./Work.ts"

const rotationRequestId = (work: Work): string => requestIdFor(work, "password", work.inputs.passwordRotation)

/** True when an earlier run of this update set it and was cut off before the state recorded it. */
export const isRotated = async (work: Work): Promise<boolean> =>
  (await findStartedTask(work, rotationRequestId(work)))?.status === "succeeded"

/** Records that a password was set that this process has not received. */
export const recordLostPassword = (work: Work): void => {
  const { instance, state, name, session } = work
  work.state = { ...state, passwordRotation: work.inputs.passwordRotation, rootPassword: undefined }
  session.host.warn(
    `${name}: a new root password was set on instance ${instance.id}, but the response with it was lost. The service `
      + "sent a copy by email to the account's owner. Change passwordRotation to set another password"
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
    // A failed task has not set a password.
    if (!await isRotated(work)) {
      throw new UserError(`${sentence(explain(error))} According to the activity feed, no password was set`, error)
    }
    recordLostPassword(work)
  }
}
