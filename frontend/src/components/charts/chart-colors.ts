/** The colours of charts: those of the page, as a canvas takes them. */

const NAMES = [
  "ink",
  "quiet",
  "line",
  "edge",
  "paper",
  "focus",
  "secure-fill",
  "plain-fill",
  "secure",
  "plain",
  "danger",
] as const;

export type ChartColors = Record<(typeof NAMES)[number], string> & { font: string };

/** Read them again when the theme changes. */
export function chartColorsOf(host: HTMLElement): ChartColors {
  const probe = document.createElement("span");
  host.append(probe);
  const style = getComputedStyle(probe);
  const colours = NAMES.map((name) => {
    // A custom property alone would be read as `light-dark(…)`.
    probe.style.color = `var(--${name})`;
    return [name, style.color];
  });
  const look = { ...Object.fromEntries(colours), font: `12px ${style.fontFamily}` } as ChartColors;
  probe.remove();
  return look;
}
