/** What the newcomer sees: numbered steps, what each is for, how long it took, and the real output of the tools. */

/** Thrown for what the newcomer should read as one sentence, without a stack trace. */
export class Sorry extends Error {}

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`

/** Something of the tool's own output, set apart from the runner's words. */
export const quote = (text: string): void => {
  for (const line of text.replace(/\s+$/, "").split("\n")) console.log(`   │ ${line}`.trimEnd())
}

export const tell = (text: string): void => console.log(`   ${text}`)

/** Numbers the steps and says how long each took. */
export const makeSteps = (total: number) => {
  const began = performance.now()
  let number = 0
  return {
    step: async <A>(title: string, work: () => Promise<A>): Promise<A> => {
      const start = performance.now()
      console.log(`\n${++number}/${total}  ${title}`)
      const result = await work()
      console.log(`   (${seconds(start)})`)
      return result
    },
    total: (): string => seconds(began)
  }
}
