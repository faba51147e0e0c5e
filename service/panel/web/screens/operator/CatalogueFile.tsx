/** The whole catalogue as a YAML file: to save, or to import after a preview of its changes. */
import { useState } from "preact/hooks"
import { execute, type InputOf, type RowOf } from "../../api/commands.ts"
import { download } from "../../api/download.ts"
import { words } from "../../api/format.ts"
import { ActionButton } from "../../components/ActionButton.tsx"
import { Button } from "../../components/Button.tsx"
import { Dialog } from "../../components/Dialog.tsx"
import { AreaField, Form, type Values } from "../../components/Form.tsx"
import { type Column, Table } from "../../components/Table.tsx"
import { Named } from "../../components/Values.tsx"

/** Most uses of one alias: a small file must not expand to gigabytes. */
const ALIASES_MAX = 100

/** As the command on the host writes it. The library is loaded with the first use. */
const save = async (): Promise<void> => {
  const [{ stringify }, document] = await Promise.all([import("yaml"), execute("catalogue.export")])
  download("catalogue.yaml", [stringify(document, { lineWidth: 0 })])
}

type Document = InputOf<"catalogue.import">["document"]

/** The service validates it. */
const read = async (text: string): Promise<Document> => {
  const { parse } = await import("yaml")
  const parsed: unknown = parse(text, { maxAliasCount: ALIASES_MAX })
  if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) return parsed as Document
  throw new Error("This is not a catalogue. It needs the lists data_centers, images, plans, and isos.")
}

/** The effect of an import on one entry. */
type Change = RowOf<"catalogue.import">

const COLUMNS: ReadonlyArray<Column<Change>> = [
  { key: "name", title: "Name", cell: ({ id, name, part }) => <Named note={`${words(part)} ${id}`}>{name}</Named> },
  { key: "change", title: "Change", cell: ({ change }) => change }
]

const importing = (document: Document, dryRun: boolean) => execute("catalogue.import", { document, dry_run: dryRun })

interface Preview {
  readonly document: Document
  readonly changes: ReadonlyArray<Change>
}

const Changes = ({ onDone, preview: { changes, document } }: {
  readonly preview: Preview
  readonly onDone: () => void
}) => {
  const effective = changes.filter(({ change }) => change !== "unchanged")
  const apply = async () => {
    await importing(document, false)
    onDone()
    return `${effective.length} entries are imported.`
  }
  return (
    <Form submit="Import" disabled={effective.length === 0} onCancel={onDone} onSubmit={apply}>
      <p>{effective.length} of {changes.length} entries are new or different. Others are not touched.</p>
      {effective.length > 0 && (
        <Table
          label="Changes"
          columns={COLUMNS}
          rows={effective}
          idOf={({ id, part }) => part + id}
        />
      )}
    </Form>
  )
}

const Import = ({ onClose }: { readonly onClose: () => void }) => {
  const [text, setText] = useState("")
  const [preview, setPreview] = useState<Preview>()
  const choose = async (event: Event) => {
    const file = (event.currentTarget as HTMLInputElement).files?.[0]
    if (file !== undefined) setText(await file.text())
  }
  const compare = async (values: Values) => {
    const document = await read(values.text("document") ?? "")
    setPreview({ document, changes: await importing(document, true) })
  }
  return (
    <Dialog title="Import a catalogue" onClose={onClose} wide>
      {preview === undefined
        ? (
          <Form submit="Show the changes" onCancel={onClose} onSubmit={compare}>
            <p>Each entry is added, or replaces the one with its id. All of it is imported, or nothing.</p>
            <input type="file" aria-label="File" accept=".yaml,.yml,.json" onChange={(event) => void choose(event)} />
            <AreaField
              name="document"
              label="YAML"
              required
              value={text}
              onInput={(event) => setText((event.currentTarget as HTMLTextAreaElement).value)}
              hint="In the format of the export; or run: vps-service admin catalogue example"
            />
          </Form>
        )
        : <Changes preview={preview} onDone={onClose} />}
    </Dialog>
  )
}

export const CatalogueFile = () => {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button aria-haspopup="dialog" onClick={() => setOpen(true)}>Import…</Button>
      <ActionButton run={save}>Export</ActionButton>
      {open && <Import onClose={() => setOpen(false)} />}
    </>
  )
}
