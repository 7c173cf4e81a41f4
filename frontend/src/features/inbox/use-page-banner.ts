import { useEffect } from "react";

const MOST_CHARACTERS = 120;

/** Prints a banner at the top of each page; null: none. See styles/document.css. */
export function usePageBanner(banner: string | null): void {
  useEffect(() => {
    if (banner === null) return;
    const { style } = document.documentElement;
    style.setProperty("--page-banner", quoted(`${banner.slice(0, MOST_CHARACTERS)} · `));
    return () => {
      style.removeProperty("--page-banner");
    };
  }, [banner]);
}

/** A string of CSS. Another office chose the words. */
function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, "\\$&").replace(/\p{Cc}/gu, " ")}"`;
}
