/** How wide the browser's own font sets a text, in heights of it; measured once for each word. */

const FONT_PX = 100;
const measured = new Map<string, number>();
const MOST_KEPT = 50_000;
let context: CanvasRenderingContext2D | null | undefined;

export function widthAtHeight1(text: string): number {
  const known = measured.get(text);
  if (known !== undefined) return known;
  if (context === undefined) {
    context = document.createElement("canvas").getContext("2d");
    if (context) context.font = `${FONT_PX}px sans-serif`;
  }
  const width = context ? context.measureText(text).width / FONT_PX : 0;
  if (measured.size >= MOST_KEPT) measured.clear();
  measured.set(text, width);
  return width;
}
