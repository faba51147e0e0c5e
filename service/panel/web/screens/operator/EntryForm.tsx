/** A button with the form of one entry of the catalogue: a new one, or a change. */
import type { ComponentChildren } from "preact"
import { execute, type InputOf } from "../../api/commands.ts"
import type { Values } from "../../components/Form.tsx"
import { FormDialog } from "../../components/FormDialog.tsx"

interface EntryProps {
  /** Such as "a plan". */
  readonly what: string
  /** Undefined for a new entry. */
  readonly name: string | undefined
  /** Lists of changed entries. The service compares the whole catalogue before it changes anything. */
  readonly documentOf: (values: Values) => InputOf<"catalogue.import">["document"]
  readonly children: ComponentChildren
}

/** Longest text of an entry, in characters. */
export const TEXT_MAX = 255

/** The number of a new entry. */
export const nextId = (ids: ReadonlyArray<number>): number => Math.max(0, ...ids) + 1

export const EntryForm = ({ children, documentOf, name, what }: EntryProps) => {
  const save = async (values: Values) => {
    await execute("catalogue.import", { document: documentOf(values), dry_run: false })
    return name === undefined ? `There is ${what} more.` : `${name} is saved.`
  }
  const isNew = name === undefined
  return (
    <FormDialog
      action={isNew ? `Add ${what}` : "Edit"}
      kind={isNew ? "plain" : "quiet"}
      {...(isNew ? { icon: "plus" as const } : {})}
      heading={isNew ? `Add ${what}` : `Edit ${name}`}
      submit="Save"
      onSubmit={save}
    >
      {children}
    </FormDialog>
  )
}
