/** What a paste or a drop puts into a text. */
import { t } from "@lingui/core/macro";
import { toast } from "@/components/ui/toasts";
import { heldText, readMarked, readPlain } from "@/marked-text/marked-clipboard";
import type { Segment } from "@/marked-text/markup";
import type { LeftOut } from "./clean-html";
import { htmlToLines, htmlToText } from "./html-to-text";

/**
 * The texts on a clipboard: as they were marked, if they come from here; else with headings, lists and tables from its
 * HTML, if it has any; else its plain text. Says what was left out.
 */
export function readPaste(data: DataTransfer): Segment[] {
  const marked = readMarked(data);
  if (marked) return marked;
  const plain = readPlain(data);
  const html = data.getData("text/html");
  const text = html ? fromHtml(html, plain) : plain;
  return text ? (readMarked(data, text) ?? [{ text, classified: false }]) : [];
}

function fromHtml(html: string, plain: string): string {
  const converted = htmlToText(html);
  if (!converted) {
    toast(
      t`Pasted as plain text`,
      t`It is too large to keep its headings, lists and tables. To keep them, paste it in parts.`,
    );
    return plain || heldText(htmlToLines(html));
  }
  if (plain && !converted.structured) return plain;
  const said = sentences(converted.leftOut);
  if (said) toast(t`Pasted as text`, said);
  return heldText(converted.text);
}

/** What was left out, in sentences; nothing for what an author would not miss. */
function sentences({ pictures, colours, comments, hidden }: LeftOut): string {
  return [
    pictures && t`Pictures were left out.`,
    colours && t`Colours were left out.`,
    comments && t`Comments were left out.`,
    hidden && t`Hidden text was left out.`,
  ]
    .filter(Boolean)
    .join(" ");
}
