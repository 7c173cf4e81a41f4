/**
 * Reads and writes policy files. It writes them as people do: patterns in single quotes, in which TOML does not escape
 * backslashes, and long lists with one item per line.
 */
import { t } from "@lingui/core/macro";
import { parse, TomlError } from "smol-toml";
import type { PolicyRule, PolicyWritten } from "@/api/policies";
import { linesOf } from "./rules";

/** The file is not a valid policy. The message is a sentence for people. */
export class TomlProblem extends Error {
  override readonly name = "TomlProblem";
}

const FIELDS = [
  "kind",
  "keywords",
  "pattern",
  "detector",
  "columns",
  "where",
  "granularity",
  "case",
  "whole_word",
  "label",
  "reason",
] as const satisfies readonly (keyof PolicyRule)[];

export function printPolicy({ name, title, guard, rules }: PolicyWritten, version?: number): string {
  const head = [`name = ${quoted(name)}`];
  if (version !== undefined) head.push(`version = ${version}`);
  if (title !== "") head.push(`title = ${quoted(title)}`);
  if (guard) head.push("guard = true");
  const tables = rules.map((rule) => {
    const lines = FIELDS.flatMap((field) => {
      const value = rule[field];
      return value === undefined ? [] : [`${field} = ${printed(value)}`];
    });
    return ["[[rules]]", ...lines].join("\n");
  });
  return `${[head.join("\n"), ...tables].join("\n\n")}\n`;
}

function printed(value: string | boolean | readonly string[]): string {
  if (typeof value === "boolean") return String(value);
  if (typeof value === "string") return quoted(value);
  const items = value.map(quoted);
  const line = `[${items.join(", ")}]`;
  return line.length <= 100 ? line : `[\n${items.map((item) => `  ${item},\n`).join("")}]`;
}

/** In single quotes if that avoids escapes, otherwise in double quotes. */
function quoted(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what TOML does not take as they are
  if (/[\\"]/.test(text) && !/['\u0000-\u0008\u000a-\u001f\u007f]/.test(text)) return `'${text}'`;
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}

/**
 * Reads a policy. `files`: the texts of keywords files by their names, which are put into the rules that name them.
 *
 * @throws TomlProblem
 */
export function readPolicy(text: string, files: ReadonlyMap<string, string> = new Map()): PolicyWritten {
  const table = tableOf(text);
  const { name = "", title = "", guard = false, rules = [] } = table;
  if (typeof name !== "string") throw new TomlProblem(t`The name must be text.`);
  if (typeof title !== "string") throw new TomlProblem(t`The title must be text.`);
  if (typeof guard !== "boolean") throw new TomlProblem(t`guard must be true or false.`);
  if (!Array.isArray(rules) || !rules.every(isTable)) throw new TomlProblem(t`Rules must be [[rules]] tables.`);
  const unknown = Object.keys(table).find((key) => !["name", "version", "title", "guard", "rules"].includes(key));
  if (unknown !== undefined) throw new TomlProblem(t`Unknown field ${unknown}. Remove it.`);
  return { name, title, guard, rules: rules.map((rule, index) => readRule(rule, index + 1, files)) };
}

function tableOf(text: string): Record<string, unknown> {
  try {
    return parse(text.replace(/^\ufeff/, ""));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const says = error.message.split("\n")[0]?.replace(/^Invalid TOML document: /, "") ?? "";
    const { line, column } = error;
    throw new TomlProblem(t`Line ${line}, column ${column}: ${says}.`);
  }
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function readRule(table: Record<string, unknown>, number: number, files: ReadonlyMap<string, string>): PolicyRule {
  const { keywords_file, ...rest } = table;
  for (const [field, value] of Object.entries(rest)) {
    if (!FIELDS.some((known) => known === field)) {
      throw new TomlProblem(t`Rule ${number}: unknown field ${field}. Remove it.`);
    }
    if (!fits(field, value)) throw new TomlProblem(mustBe(field, number));
  }
  // The loop has checked the names and types of all fields.
  const rule = rest as unknown as PolicyRule;
  if (keywords_file === undefined) return rule;
  if (typeof keywords_file !== "string") throw new TomlProblem(mustBe("keywords_file", number));
  const file = files.get(keywords_file.split("/").at(-1) ?? "");
  if (file === undefined) {
    throw new TomlProblem(t`Rule ${number} needs the file ${keywords_file}. Choose it together with the policy file.`);
  }
  const words = linesOf(file).filter((line) => !line.startsWith("#"));
  return { ...rule, keywords: [...(rule.keywords ?? []), ...words] };
}

function fits(field: string, value: unknown): boolean {
  if (field === "case" || field === "whole_word") return typeof value === "boolean";
  if (field === "keywords" || field === "columns") {
    return Array.isArray(value) && value.every((item) => typeof item === "string");
  }
  return typeof value === "string";
}

function mustBe(field: string, number: number): string {
  if (field === "case" || field === "whole_word") return t`Rule ${number}: ${field} must be true or false.`;
  return field === "keywords" || field === "columns"
    ? t`Rule ${number}: ${field} must be a list of text values.`
    : t`Rule ${number}: ${field} must be text.`;
}
