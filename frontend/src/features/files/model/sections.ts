/** The units of an office document in reading order: its texts part by part, then everything else. */
import { t } from "@lingui/core/macro";
import type { Unit } from "@/api/files";
import { isLayout, partOf, STORIES, storyName } from "./place-names";

/** `part`: its address, if the section is one part that can be marked whole. */
export interface Section {
  readonly key: string;
  readonly title: string;
  readonly lead: string;
  readonly part: string | null;
  readonly units: readonly Unit[];
}

const PROPERTIES = t`Properties`;
const OPAQUE = t`Pictures and other parts`;
const OUTSIDE = t`Outside the text`;
const LAYOUTS = t`Layouts and masters`;

const LEADS: Readonly<Record<string, string>> = {
  [STORIES.comments]: t`They are not printed, but the file includes them.`,
  [PROPERTIES]: t`Author, title and times. No page shows them, but the file includes them.`,
  [OPAQUE]: t`The gateway does not read them. Mark any picture that shows a secret.`,
  [LAYOUTS]: t`What slides are made from. Slides show it, except the prompts.`,
  [OUTSIDE]: t`Links, settings and data. No page shows them, but the file includes them.`,
};

/** Sections in reading order. Empty paragraphs are left out, except in tables, whose cells they are. */
export function sectionsOf(units: readonly Unit[]): readonly Section[] {
  const found = new Map<string, { title: string; part: string | null; units: Unit[] }>();
  for (const unit of units) {
    const part = partOf(unit.address);
    const story = storyName(part);
    const opaque = unit.text === "" && part === unit.address;
    if (unit.text === "" && !opaque && unit.cells.length === 0) continue;
    const title = story ?? titleOf(part, opaque);
    const key = story === null ? title : part;
    const section = found.get(key);
    if (section) section.units.push(unit);
    else found.set(key, { title, part: story === null ? null : part, units: [unit] });
  }
  // A mail has several texts, each with something outside of it.
  return [...found]
    .toSorted(([, one], [, other]) => Number(one.part === null) - Number(other.part === null))
    .filter(
      ([, { part, units }]) => part === null || units.some(({ text, address }) => text !== "" || address === part),
    )
    .map(([key, section]) => ({ key, lead: LEADS[section.title] ?? "", ...section }));
}

/** The same to read: what is hidden in the text is apart from it, at the end. */
export function sectionsToRead(units: readonly Unit[]): readonly Section[] {
  const sections = sectionsOf(units);
  const isText = ({ part, units }: Section) => part !== null && units.some(({ hidden }) => hidden === "");
  const hidden = sections.filter(isText).flatMap(({ units }) => units.filter((unit) => unit.hidden !== ""));
  const shown = sections.map((section) =>
    isText(section) ? { ...section, units: section.units.filter((unit) => unit.hidden === "") } : section,
  );
  if (hidden.length === 0) return shown;
  return [...shown, { key: "hidden", title: t`Hidden in the text`, lead: "", part: null, units: hidden }];
}

function titleOf(part: string, opaque: boolean): string {
  if ((part.startsWith("docProps/") || part === "meta.xml") && !opaque) return PROPERTIES;
  if (isLayout(part)) return LAYOUTS;
  return opaque ? OPAQUE : OUTSIDE;
}
