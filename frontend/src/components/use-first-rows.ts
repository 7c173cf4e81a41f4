import { t } from "@lingui/core/macro";
import { useState } from "react";
import { numberText } from "@/lib/numbers";
import { announce } from "./announce";

/** The first rows of a list, and a function that shows all of them. `what`: "versions". */
export function useFirstRows<Row>(rows: readonly Row[], first: number, what: string) {
  const [all, setAll] = useState(false);
  const shown = all ? rows : rows.slice(0, first);
  const showAll = () => {
    setAll(true);
    announce(t`Showing all ${{ total: numberText(rows.length) }} ${what}.`);
  };
  return { shown, hidden: rows.length - shown.length, showAll };
}
