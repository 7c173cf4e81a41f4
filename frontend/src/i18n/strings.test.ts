import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { stringsOutside } from "./strings";

const SOURCE = new URL("../", import.meta.url);
const modules = readdirSync(SOURCE, { recursive: true }).filter(
  (path) => /\.tsx?$/.test(path) && !/^test\/|\.test\.|\.fixture\.|\.d\.ts$/.test(path),
);

it("has every text in the catalogue", () => {
  expect(modules.flatMap((path) => stringsOutside(path, read(path)))).toEqual([]);
});

it("writes numbers, dates and lists in the chosen language", () => {
  const own = /^(i18n|lib)\//;
  const fixed = /toLocale\w*\(|new Intl\.(?!Segmenter)/;
  expect(modules.filter((path) => !own.test(path) && fixed.test(read(path)))).toEqual([]);
});

it("translates a text alike everywhere", () => {
  const french = new Map<string, Set<string>>();
  for (const [text, translation] of translations()) {
    french.set(text, (french.get(text) ?? new Set()).add(translation));
  }
  expect([...french].filter(([, all]) => all.size > 1)).toEqual([]);
});

it("has typographic apostrophes", () => {
  expect(translations().filter(([text, french]) => /[\p{L}\d}]'/u.test(text + french))).toEqual([]);
});

it("keeps the values and the elements of each text", () => {
  const parts = (text: string) => [...new Set(text.match(/\{\w+(?=[},])|<\/?\d+\/?>/g))].sort();
  expect(translations().filter(([text, french]) => String(parts(text)) !== String(parts(french)))).toEqual([]);
});

/** Each text with its French. */
function translations(): [text: string, french: string][] {
  return readdirSync(SOURCE, { recursive: true })
    .filter((path) => path.endsWith("fr.po"))
    .flatMap((path) => [...read(path).matchAll(/^((?:msgctxt .*\n)?msgid ".+")\nmsgstr (".*")$/gm)])
    .map(([, text = "", french = ""]) => [text, french]);
}

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: these are texts of source code.
it.each([
  ["<p>Two words</p>", ["a.tsx:1: Two words"]],
  ['<Button label="Send" />', ["a.tsx:1: Send"]],
  ["<select><option>Choose</option></select>", ["a.tsx:1: Choose"]],
  ["<p>{name}’s receipt</p>", ["a.tsx:1: ’s receipt"]],
  ["toast(`Could not send ${name}.`)", ["a.tsx:1: Could not send …."]],
  ['const hints = ["mail", "The e-mail address."]', ["a.tsx:1: The e-mail address."]],
  ['const texts = { full: "The disk is full." }', ["a.tsx:1: The disk is full."]],
  ['<Figure label={none ? "never" : value} />', ["a.tsx:1: never"]],
  ['<p>{open ? "open" : t`closed`}</p>', ["a.tsx:1: open"]],
  ['<Trans>Key <Digest what="key" /></Trans>', ["a.tsx:1: key"]],
  ["<Trans>Read the <Link>guide</Link></Trans>", []],
  ["toast(t`Could not send ${name}.`)", []],
  ['plural(count, { one: "# mark", other: "# marks" })', []],
  ['<p className="flex min-h-9 items-center">{count}</p>', []],
  ['key === "Arrow Left" || cx("mx-auto", open && "block")', []],
  ['// not a text\nconst command = "sieve admin create"', []],
  ['// not a text\nexport const STYLE = {\n  a: {\n    font: "Two words" } }', []],
  ['on({ is: "took theirs", keys: ["Enter"] })', []],
])("finds texts: %s", (code, found) => {
  expect(stringsOutside("a.tsx", code)).toEqual(found);
});
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: these are texts of source code.

function read(path: string): string {
  return readFileSync(new URL(path, SOURCE), "utf8");
}
