/** Snapshots and backups are both images of the disk, which can be restored. */
import type { Backup } from "#contract/Backups"
import type { Snapshot } from "#contract/Snapshots"
import { bytes } from "../../../api/format.ts"
import { nameOf } from "../../../api/instances.ts"
import { Confirm } from "../../../components/FormDialog.tsx"
import type { Column } from "../../../components/Table.tsx"
import { Status } from "../../../components/Values.tsx"
import { busyReason, useInstance, useOperation } from "./Context.ts"

type Image = Backup | Snapshot

export const STATUS: Column<Image> = {
  key: "status",
  title: "Status",
  by: ({ status }) => status,
  cell: ({ status }) => <Status value={status} />
}

export const SIZE: Column<Image> = {
  key: "size",
  title: "Size",
  numeric: true,
  by: ({ size_bytes }) => size_bytes ?? 0,
  cell: ({ size_bytes }) => size_bytes === null ? "–" : bytes(size_bytes)
}

interface ImageProps {
  readonly image: Image
  /** Such as "the snapshot before-upgrade". */
  readonly called: string
  readonly run: Parameters<ReturnType<typeof useOperation>>[0]
}

/** The reason why an image cannot be restored or deleted; undefined if it can. */
const useBusy = ({ status }: Image) =>
  busyReason(useInstance()) ?? (status === "available" ? undefined : `It is ${status}`)

export const Restore = ({ called, image, run }: ImageProps) => {
  const operate = useOperation()
  const name = nameOf(useInstance().instance)
  const busy = useBusy(image)
  return (
    <Confirm
      action="Restore"
      kind="danger"
      disabled={busy !== undefined}
      title={busy}
      question={`Restore ${called}?`}
      name={name}
      run={async () => void await operate(run)}
    >
      <p>The disk of {name} becomes what it was then. Everything written since is lost.</p>
    </Confirm>
  )
}

export const Delete = ({ called, image, run }: ImageProps) => {
  const operate = useOperation()
  const busy = useBusy(image)
  return (
    <Confirm
      action="Delete"
      kind="quiet"
      disabled={busy !== undefined}
      title={busy}
      question={`Delete ${called}?`}
      run={async () => void await operate(run)}
    >
      <p>It cannot be restored afterwards. The instance itself does not change.</p>
    </Confirm>
  )
}
