/** `vps completions`: scripts for completion in a shell. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"
import { printRaw } from "../output/Output.ts"

const SHELLS = ["bash", "zsh", "fish"] as const

/** `root` is a function, because the root command is complete only when this command runs. */
export const completions = (root: () => Command.Command.Any) =>
  Command.make("completions", {
    shell: Argument.Literals("shell", SHELLS).pipe(Argument.withDescription("bash, zsh or fish"))
  }, ({ shell }) => printRaw(`${Completions.generate("vps", shell, Completions.fromCommand(root()))}\n`)).pipe(
    Command.withDescription("Print a completion script for a shell"),
    Command.withExamples([
      { command: "source <(vps completions bash)", description: "In ~/.bashrc" },
      { command: "vps completions zsh > ~/.zfunc/_vps", description: "In a folder of zsh's $fpath" },
      { command: "vps completions fish > ~/.config/fish/completions/vps.fish" }
    ])
  )
