/** SSH keys that the service accepts, and the home of a person who has one, which programs in the documents read. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export const SSH_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINGlrJoBX6wu97NBZzY1USoVEfQf430RGyZ/A57sXU9Y"
export const OTHER_SSH_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGq58euPfTOI9PnVhvZumf1UCA3yxEbw5YZosJwIoW3Q"

export const homeWithKey = (home = mkdtempSync(join(tmpdir(), "vps-home-"))): string => {
  mkdirSync(join(home, ".ssh"), { recursive: true })
  writeFileSync(join(home, ".ssh/id_ed25519.pub"), `${SSH_KEY} person@example.com\n`)
  return home
}
