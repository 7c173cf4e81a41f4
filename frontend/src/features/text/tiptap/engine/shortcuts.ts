/** The keys of a text, whichever editor it is in. */

/**
 * Mod-Shift-S: S for secret, beside Mod-S; neither Chromium nor Firefox keeps it from the page (Firefox and Edge would
 * take a screenshot, which the page prevents). F8 as in editors that go from one finding to the next; Chromium has
 * nothing on it. F9 is the next key: with Ctrl and Alt together no sign can be had, for that is AltGr on Windows (Firefox
 * shows some pages for reading by F9, which the page prevents); with Ctrl it moves both edges, and no browser has that.
 * Mod-Shift-L: L for label; only Edge has something on it, which the page prevents.
 */
export const SHORTCUTS = {
  toggle: "Mod-Shift-s",
  next: "F8",
  previous: "Shift-F8",
  // The signs that are on these keys, > and <, point to where the edge goes.
  grow: "Mod-Shift-.",
  shrink: "Mod-Shift-,",
  growCharacter: "F9",
  shrinkCharacter: "Shift-F9",
  fit: "Mod-F9",
  label: "Mod-Shift-l",
} as const;
