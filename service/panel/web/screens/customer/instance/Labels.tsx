/** The labels of the instance. */
import { pathTo, send } from "../../../api/calls.ts"
import { refresh } from "../../../api/query.ts"
import { Form, TextField, type Values } from "../../../components/Form.tsx"
import { Section } from "../../../components/Page.tsx"
import { LABELS, useLabels } from "../Labels.tsx"
import { useInstance } from "./Context.ts"

/** Longest text: ten labels of 32 characters, and what is between them. */
const TEXT_MAX = 350

/** Up to ten labels; the browser checks it as the service does. */
const FORM = "\\s*(?:[A-Za-z0-9_.:\\-]{1,32}(?:[\\s,]+|$)){0,10}"

export const Labels = () => {
  const { account, instance: { id } } = useInstance()
  const labels = (useLabels().get(id) ?? []).join(" ")
  const save = async ({ text }: Values) => {
    const wanted = (text("labels") ?? "").split(/[\s,]+/).filter((label) => label !== "")
    await send("PUT /accounts/:account/instances/:id/labels", { params: { account, id }, body: { labels: wanted } })
    refresh(pathTo(LABELS, { account }))
    return "The labels are saved."
  }
  return (
    <Section title="Labels" note="To find the instance in the list. Only the panel has them, and not the API.">
      <Form submit="Save the labels" onSubmit={save}>
        <TextField
          key={labels}
          name="labels"
          label="Labels"
          maxLength={TEXT_MAX}
          pattern={FORM}
          defaultValue={labels}
          placeholder="production web"
          hint="Up to 10, with a space between them: letters, digits, and - _ . :"
        />
      </Form>
    </Section>
  )
}
