/** Operators' private notes on an account or an instance. */
import { act, execute, type InputOf, type RowOf, useCommand } from "../../api/calls.ts"
import { Confirm, FormDialog } from "../../components/FormDialog.tsx"
import { AreaField, type Values } from "../../components/Form.tsx"
import { Empty, Loaded, Section } from "../../components/Page.tsx"
import { When } from "../../components/Values.tsx"
import { PAGE, pageOf } from "./CommandList.tsx"
import { instanceHref } from "./Links.ts"

type NoteRecord = RowOf<"notes.list">

/** Longest text, in characters. */
const NOTE_MAX = 4_000

interface NotesProps {
  /** The account or the instance. */
  readonly of: Pick<InputOf<"notes.list">, "account_id" | "instance_id">
}

const Add = ({ of }: NotesProps) => {
  const add = async ({ required }: Values) => {
    await execute("notes.add", { ...of, text: required.text("text") })
    return "The note is saved."
  }
  return (
    <FormDialog action="Add a note" icon="plus" heading="Add a note" submit="Save" onSubmit={add}>
      <AreaField name="text" label="Note" required maxLength={NOTE_MAX} hint="Only operators see it." />
    </FormDialog>
  )
}

const Note = ({ note, of }: NotesProps & { readonly note: NoteRecord }) => (
  <li class="note">
    <p>{note.text}</p>
    <footer class="muted">
      <span>
        {note.author}, <When at={note.created_at} />
        {note.instance_id !== null && of.instance_id === undefined && (
          <>
            , <a href={instanceHref(note.instance_id)}>instance {note.instance_id}</a>
          </>
        )}
      </span>
      <Confirm
        action="Delete"
        kind="quiet"
        destroys
        question="Delete this note?"
        run={act("notes.delete", { id: note.id }, "The note is deleted.")}
      >
        <p>{note.text}</p>
      </Confirm>
    </footer>
  </li>
)

export const Notes = ({ of }: NotesProps) => {
  const query = useCommand("notes.list", { ...of, limit: PAGE + 1 })
  return (
    <Section title="Notes" note="Private: only operators see them." actions={<Add of={of} />}>
      <Loaded query={query} lines={2}>
        {(notes) => {
          const { next, shown } = pageOf(notes, ({ id }) => id)
          if (shown.length === 0) return <Empty icon="people" title="No notes" />
          return (
            <>
              <ul class="notes">{shown.map((note) => <Note key={note.id} note={note} of={of} />)}</ul>
              {next !== undefined && <p class="muted">Older ones: vps-service admin notes list</p>}
            </>
          )
        }}
      </Loaded>
    </Section>
  )
}
