import { t } from "@lingui/core/macro";
import type { PolicyWritten } from "@/api/policies";
import { readPolicy, TomlProblem } from "./toml";

/** As the gateway bounds a policy. */
const MOST_BYTES = 4 * 1024 * 1024;

/** What a new policy begins with. `toml`: the file as it is, if it can be sent as it is. */
export interface Start {
  readonly policy: PolicyWritten;
  readonly toml: string | null;
}

/**
 * The policy of these files: one .toml, and the keywords files that it names.
 *
 * @throws TomlProblem
 */
export async function readPolicyFiles(files: readonly File[]): Promise<Start> {
  const [policy, ...others] = files.filter(({ name }) => name.toLowerCase().endsWith(".toml"));
  if (!policy) throw new TomlProblem(t`Choose a policy file. Its name must end in .toml.`);
  if (others.length > 0) throw new TomlProblem(t`Choose one policy file at a time, with its keyword files.`);
  const texts = new Map<string, string>();
  for (const file of files) texts.set(file.name, await textOf(file));
  const toml = texts.get(policy.name) ?? "";
  const read = readPolicy(toml, texts);
  const name = read.name || policy.name.replace(/\.toml$/i, "");
  // Another file's keywords are put in, and so is a name that it had not.
  return { policy: { ...read, name }, toml: files.length > 1 || read.name === "" ? null : toml };
}

async function textOf(file: File): Promise<string> {
  const { name } = file;
  if (file.size > MOST_BYTES) throw new TomlProblem(t`${name} is too large. The limit is 4 MiB.`);
  let bytes: ArrayBuffer;
  try {
    bytes = await file.arrayBuffer();
  } catch {
    throw new TomlProblem(t`${name} could not be read. It was moved or deleted. Choose it again.`);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new TomlProblem(t`${name} is not a UTF-8 text file.`);
  }
}
