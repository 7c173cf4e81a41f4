/** Long documents in the shapes that are hard on an editor. Always the same ones. */

const WORDS = "the convoy leaves the northern pier at dawn with two cutters and a tug under the call sign of".split(
  " ",
);

/** Characters in a line. */
export const SHAPES = {
  "500-character paragraphs": 500,
  "80-character lines": 80,
  "one line": Number.POSITIVE_INFINITY,
} as const;

export type Shape = keyof typeof SHAPES;

/** Marked text of about so many bytes, with that many spans of one word each, evenly spread. */
export function longText(bytes: number, shape: Shape, spans: number): string {
  const every = spans === 0 ? Number.POSITIVE_INFINITY : bytes / spans;
  const pieces: string[] = [];
  let marked = 0;
  let size = 0;
  let line = 0;
  for (let index = 0; size < bytes; index++) {
    const word = `${WORDS[index % WORDS.length]}${index % 7 === 0 ? index : ""}`;
    const mark = marked < spans && size >= marked * every;
    pieces.push(mark ? `<$S>${word}<$E>` : word);
    if (mark) marked++;
    line += word.length + 1;
    size += word.length + 1;
    const ends = line >= SHAPES[shape];
    pieces.push(ends ? "\n" : " ");
    if (ends) line = 0;
  }
  return pieces.join("");
}
