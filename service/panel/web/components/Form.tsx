/**
 * Forms on the browser's own controls and checks. A problem is one sentence at its field, whether the browser or the
 * service found it; anything else is above the buttons. The first problem gets the focus.
 */
import { type ComponentChildren, createContext, type RefObject, type VNode } from "preact"
import { useContext, useId, useLayoutEffect, useRef, useState } from "preact/hooks"
import { ApiError, messageOf } from "../api/client.ts"
import { words } from "../api/format.ts"
import { controlProblem, problemText } from "../api/problems.ts"
import { Button } from "./Button.tsx"
import { Notice } from "./Page.tsx"
import { notify } from "../api/toasts.ts"
import { useReadOnly } from "./ReadOnly.tsx"

const Problems = createContext<ReadonlyMap<string, string>>(new Map())

export interface Values {
  /** The trimmed text of a field; undefined if it is empty. */
  readonly text: (name: string) => string | undefined
  readonly number: (name: string) => number | undefined
  readonly checked: (name: string) => boolean
  /** Of fields that the browser demands. */
  readonly required: { readonly text: (name: string) => string; readonly number: (name: string) => number }
}

const valuesOf = (form: HTMLFormElement): Values => {
  const data = new FormData(form)
  const text = (name: string) => String(data.get(name) ?? "").trim() || undefined
  const number = (name: string) => {
    const value = text(name)
    return value === undefined ? undefined : Number(value)
  }
  return {
    text,
    number,
    required: { text: (name) => text(name) ?? "", number: (name) => number(name) ?? Number.NaN },
    checked: (name) => data.has(name)
  }
}

type Present<T> =
  & { readonly [Name in keyof T as undefined extends T[Name] ? never : Name]: T[Name] }
  & { readonly [Name in keyof T as undefined extends T[Name] ? Name : never]?: Exclude<T[Name], undefined> }

/** Fields without those that are not filled in. */
export const present = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>

/** A text is reported as success. */
export type Submit = (values: Values) => Promise<string | void>

interface FormProps {
  readonly submit: string
  readonly danger?: boolean
  /** True beside something that is more common. */
  readonly secondary?: boolean
  /** The reason for which it cannot be sent now. */
  readonly off?: string | undefined
  readonly onSubmit: Submit
  readonly onCancel?: (() => void) | undefined
  readonly onInput?: ((values: Values) => void) | undefined
  /** Of fields, as the service found them before the form was sent. */
  readonly problems?: ReadonlyMap<string, string> | undefined
  /** Beside the fields on a wide screen, above the button. */
  readonly aside?: ComponentChildren
  readonly children?: ComponentChildren
}

const focusFirstProblem = (form: HTMLFormElement | null) =>
  setTimeout(() => form?.querySelector<HTMLElement>("[aria-invalid=true], .notice.bad")?.focus())

const Buttons = (props: FormProps & { readonly busy: boolean }) => {
  const { busy, danger = false, off, onCancel, secondary = false, submit } = props
  const readOnly = useReadOnly()
  return (
    <footer>
      {onCancel !== undefined && <Button onClick={onCancel}>Cancel</Button>}
      <Button
        type="submit"
        kind={danger ? "danger" : secondary ? "plain" : "primary"}
        busy={busy}
        off={readOnly ?? off}
      >
        {submit}
      </Button>
    </footer>
  )
}

/** The problems that the browser finds, by the name of the control. */
const checked = (form: HTMLFormElement): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  for (const control of form.elements) {
    const { name, willValidate } = control as HTMLInputElement
    const problem = willValidate ? controlProblem(control as HTMLInputElement) : undefined
    if (problem !== undefined && !found.has(name)) found.set(name, problem)
  }
  return found
}

const NO_PROBLEMS: ReadonlyMap<string, string> = new Map()

/** The problems of fields, and a failure that belongs to none. */
const useProblems = (form: RefObject<HTMLFormElement | null>) => {
  const [problems, setProblems] = useState(NO_PROBLEMS)
  const [failure, setFailure] = useState<string>()
  const show = (found: ReadonlyMap<string, string>, text?: string) => {
    setProblems(found)
    setFailure(text)
    if (found.size > 0 || text !== undefined) focusFirstProblem(form.current)
  }
  const fail = (error: unknown) => {
    const fields = error instanceof ApiError ? error.fields : []
    if (fields.length === 0) return show(NO_PROBLEMS, messageOf(error))
    const known = fields.filter(({ field }) => form.current?.elements.namedItem(field))
    const others = fields.filter((one) => !known.includes(one))
      .map(({ field, message }) => `${words(field)}: ${problemText(message)}`)
    show(new Map(known.map(({ field, message }) => [field, problemText(message)])), others.join(" ") || undefined)
  }
  /** A field that is being changed is not wrong before it is sent again. */
  const forget = (name: string) => {
    if (problems.has(name)) setProblems(new Map([...problems].filter(([field]) => field !== name)))
  }
  return { problems, failure, show, fail, forget }
}

export const Form = (props: FormProps) => {
  const { aside, children, onInput, onSubmit, problems: outer = NO_PROBLEMS } = props
  const form = useRef<HTMLFormElement>(null)
  const [busy, setBusy] = useState(false)
  const readOnly = useReadOnly()
  const { fail, failure, forget, problems, show } = useProblems(form)
  const send = async (event: Event) => {
    event.preventDefault()
    if (busy || form.current === null) return
    const off = readOnly ?? props.off
    if (off !== undefined) return show(NO_PROBLEMS, off)
    const found = checked(form.current)
    show(found)
    if (found.size > 0) return
    setBusy(true)
    try {
      const text = await onSubmit(valuesOf(form.current))
      if (text !== undefined) notify("good", text)
    } catch (error) {
      fail(error)
    } finally {
      setBusy(false)
    }
  }
  const input = ({ target }: Event) => {
    forget((target as HTMLInputElement).name)
    if (form.current !== null) onInput?.(valuesOf(form.current))
  }
  return (
    <form ref={form} class="form" noValidate onSubmit={(event) => void send(event)} onInput={input}>
      <Problems.Provider value={new Map([...outer, ...problems])}>{children}</Problems.Provider>
      <div class="form-end">
        {aside}
        {failure !== undefined && <Notice tone="bad">{failure}</Notice>}
        <Buttons {...props} busy={busy} />
      </div>
    </form>
  )
}

interface FieldProps {
  readonly name: string
  readonly label: string
  /** The expected form of the value, or its purpose. */
  readonly hint?: ComponentChildren
}

interface Wiring {
  readonly id: string
  readonly name: string
  readonly "aria-invalid": boolean
  readonly "aria-describedby": string | undefined
}

/** A label, a control, a hint, and the problem that the service found. */
const Field = ({ control, hint, label, name }: FieldProps & { readonly control: (wiring: Wiring) => VNode }) => {
  const id = useId()
  const problem = useContext(Problems).get(name)
  const described = [hint === undefined ? "" : `${id}h`, problem === undefined ? "" : `${id}p`].join(" ").trim()
  const wiring = { id, name, "aria-invalid": problem !== undefined, "aria-describedby": described || undefined }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {control(wiring)}
      {problem !== undefined && <p class="problem" id={`${id}p`}>{problem}</p>}
      {hint !== undefined && <p class="hint" id={`${id}h`}>{hint}</p>}
    </div>
  )
}

/** The attributes of controls that forms use. */
interface ControlProps {
  readonly value?: string | number | undefined
  readonly defaultValue?: string | number | undefined
  readonly required?: boolean | undefined
  readonly disabled?: boolean
  readonly minLength?: number
  readonly maxLength?: number
  readonly placeholder?: string
  readonly onInput?: (event: InputEvent) => void
}

interface InputProps extends FieldProps, ControlProps {
  readonly type?: "text" | "number" | "email" | "date" | "datetime-local" | "password"
  readonly min?: number | string
  readonly max?: number | string
  readonly step?: number | string
  readonly pattern?: string
  readonly autocomplete?: string
  readonly list?: string
}

export const TextField = ({ hint, label, name, ...rest }: InputProps) => (
  <Field
    {...{ hint, label, name }}
    control={(wiring) => <input autocomplete="off" {...rest as object} {...wiring} />}
  />
)

export const AreaField = ({ hint, label, name, ...rest }: FieldProps & ControlProps) => (
  <Field {...{ hint, label, name }} control={(wiring) => <textarea spellcheck={false} {...rest} {...wiring} />} />
)

interface SelectProps extends FieldProps, Pick<ControlProps, "value" | "defaultValue" | "required" | "disabled"> {
  readonly onChange?: (event: Event) => void
  readonly children?: ComponentChildren
}

/** A select has no attribute for the choice at first, so it is made when the select appears. */
const useFirstChoice = (choice: string | number | undefined) => {
  const element = useRef<HTMLSelectElement>(null)
  useLayoutEffect(() => {
    if (choice !== undefined && element.current !== null) element.current.value = String(choice)
  }, [choice])
  return element
}

export const SelectField = ({ children, defaultValue, hint, label, name, ...rest }: SelectProps) => {
  const element = useFirstChoice(defaultValue)
  const control = (wiring: Wiring) => <select ref={element} {...rest} {...wiring}>{children}</select>
  return <Field {...{ control, hint, label, name }} />
}

interface CheckProps extends Omit<FieldProps, "label"> {
  readonly label: ComponentChildren
  readonly type?: "checkbox" | "radio"
  readonly value?: string
  readonly checked?: boolean
  readonly defaultChecked?: boolean
  readonly disabled?: boolean
  readonly required?: boolean
  readonly onChange?: (event: Event) => void
}

/** A box to tick, or one of several choices with `type="radio"`. */
export const CheckField = ({ hint, label, type = "checkbox", ...rest }: CheckProps) => (
  <label class="check">
    <input type={type} {...rest} />
    <span>
      {label}
      {hint !== undefined && <span class="hint">{hint}</span>}
    </span>
  </label>
)
