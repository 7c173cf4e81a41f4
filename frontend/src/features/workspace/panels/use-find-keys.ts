import { usePageKeys } from "../shell/use-page-keys";

/** While something is looked for, F3 and Mod-G go to the next place from anywhere on the page, and with Shift to the previous one. */
export function useFindKeys(onStep: (direction: 1 | -1) => void): void {
  usePageKeys({ nextPlace: () => onStep(1), previousPlace: () => onStep(-1) });
}
