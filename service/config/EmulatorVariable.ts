/**
 * `VPS_EMULATOR=1` makes an emulator of a container whose image and config file are those of a service: in memory, and
 * with controls for the computers that reach its port.
 */
import { SETTINGS } from "./Config.ts"
import type { Environment, Texts } from "./Limit.ts"
import { InvalidSetting } from "./Setting.ts"

const VARIABLE = "VPS_EMULATOR"

const { database, emulator, emulatorRemote } = SETTINGS

/** True if the variable is set to true. */
export const isEmulator = ({ [VARIABLE]: text = "" }: Environment): boolean => {
  if (text === "") return false
  const value = emulator.parse(text)
  if (value !== undefined) return value
  throw new InvalidSetting({ message: `${VARIABLE} should be ${emulator.expected}; got "${text}".` })
}

/** The texts of a config file, with those that the variable replaces. Flags and other variables still override them. */
export const withEmulator = (file: Texts, environment: Environment): Texts => {
  if (!isEmulator(environment)) return file
  const own = environment[emulator.environment]
  if (own !== undefined && emulator.parse(own) === false) {
    const message = `${VARIABLE} and ${emulator.environment} contradict each other. Unset one of them.`
    throw new InvalidSetting({ message })
  }
  const set = (text: string) => ({ text, source: VARIABLE })
  return {
    ...file,
    [emulator.environment]: set("true"),
    [emulatorRemote.environment]: set("true"),
    [database.environment]: set(":memory:")
  }
}

export const volumeRefused = (path: string): InvalidSetting =>
  new InvalidSetting({
    message: `${VARIABLE} is set, but ${path} is the database of a service, which an emulator does not use. To run the `
      + `service, unset ${VARIABLE}. To run an emulator, start the container without this volume.`
  })
