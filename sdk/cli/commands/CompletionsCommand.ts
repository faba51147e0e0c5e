/** `vps completions`: what makes a shell complete commands and flags. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"
import { write } from "../output/Show.ts"

const SHELLS = ["bash", "zsh", "fish"] as const

/** `whole` is asked for when the command runs: by then it has all its parts, this one included. */
export const completions = (whole: () => Command.Command.Any) =>
  Command.make("completions", {
    shell: Argument.Literals("shell", SHELLS).pipe(Argument.withDescription("bash, zsh or fish"))
  }, ({ shell }) => write(`${Completions.generate("vps", shell, Completions.fromCommand(whole()))}\n`)).pipe(
    Command.withDescription("Print a script that makes a shell complete vps"),
    Command.withExamples([
      { command: "source <(vps completions bash)", description: "In ~/.bashrc" },
      { command: "vps completions zsh > ~/.zfunc/_vps", description: "In a folder of zsh's $fpath" },
      { command: "vps completions fish > ~/.config/fish/completions/vps.fish" }
    ])
  )
