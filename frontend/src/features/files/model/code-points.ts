/** The gateway counts code points, the browser UTF-16 units. */

/** How many code points `text` has. */
export function codePoints(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index++) {
    if (isLead(text.charCodeAt(index)) && isTrail(text.charCodeAt(index + 1))) index++;
    count++;
  }
  return count;
}

/** The UTF-16 place of code point `point`; the end of the text if it has fewer. */
export function indexOfPoint(text: string, point: number): number {
  let index = 0;
  for (let count = 0; count < point && index < text.length; count++) {
    index += isLead(text.charCodeAt(index)) && isTrail(text.charCodeAt(index + 1)) ? 2 : 1;
  }
  return index;
}

/** The code point of UTF-16 place `index`. A place inside of one counts as before it. */
export function pointOfIndex(text: string, index: number): number {
  const cut = isTrail(text.charCodeAt(index)) && isLead(text.charCodeAt(index - 1)) ? index - 1 : index;
  return codePoints(text.slice(0, cut));
}

/** Code points `start` to `end` of `text`. */
export function slicePoints(text: string, start: number, end: number): string {
  const from = indexOfPoint(text, start);
  return text.slice(from, from + indexOfPoint(text.slice(from), end - start));
}

function isLead(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isTrail(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
