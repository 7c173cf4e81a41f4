/** A part of the guide. `text`: its Markdown, with its heading. */
interface GuidePart {
  readonly title: string;
  readonly text: string;
}

/** Cuts the guide at its headings of the second level, and leaves out pictures. */
export function guideParts(guide: string): readonly GuidePart[] {
  return guide
    .replace(/^!\[.*\]\(.*\)\n+/gm, "")
    .split(/^(?=## )/m)
    .slice(1)
    .map((text) => ({ title: /^## (.*)$/m.exec(text)?.[1] ?? "", text }));
}
