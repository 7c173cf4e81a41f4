import { useState } from "react";
import { announce } from "./announce";

/** The first rows of a list, and a function that shows all of them. `what`: "versions". */
export function useFirst<Row>(rows: readonly Row[], first: number, what: string) {
  const [all, setAll] = useState(false);
  const shown = all ? rows : rows.slice(0, first);
  const showAll = () => {
    setAll(true);
    announce(`Showing all ${rows.length.toLocaleString("en")} ${what}.`);
  };
  return { shown, hidden: rows.length - shown.length, showAll };
}
