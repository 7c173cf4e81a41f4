import { plural, t } from "@lingui/core/macro";
import { useMemo, useState } from "react";
import { Dialog } from "@/components/ui/Dialog";
import { Field } from "@/components/ui/Field";
import { Input } from "@/components/ui/Input";
import { numberText } from "@/lib/numbers";
import { blockAt, distinctSpans, type ReaderDocument } from "./reader-document";

const MOST_SHOWN = 200;
const MOST_CHARACTERS = 160;
/** Up to this many need no filter. */
const FEW = 12;

interface SpanListProps {
  opened: ReaderDocument;
  onChoose: (span: number) => void;
  onClose: () => void;
}

/** Lists the classified texts of the document, each once with its count. Choosing one goes to it. */
export function SpanList({ opened, onChoose, onClose }: SpanListProps) {
  const all = useMemo(() => distinctSpans(opened), [opened]);
  const [filter, setFilter] = useState("");
  const found = filter === "" ? all : all.filter(({ text }) => text.toLowerCase().includes(filter.toLowerCase()));
  const left = found.length - MOST_SHOWN;
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t`Classified text`}
      description={partsText(opened.spans.length, all.length)}
    >
      {all.length > FEW && (
        <Field label={t`Filter`} labelHidden>
          <Input value={filter} onChange={({ target }) => setFilter(target.value)} placeholder={t`Filter`} />
        </Field>
      )}
      <ol aria-label={t`Classified texts`} className="-mx-3 mt-2">
        {found.slice(0, MOST_SHOWN).map((one) => (
          <li key={one.first}>
            <button
              type="button"
              onClick={() => onChoose(one.first)}
              className="flex w-full items-baseline gap-3 rounded-md px-3 py-2 text-left hover:bg-ink/8"
            >
              <span className="wrap-anywhere line-clamp-2 min-w-0 flex-1 font-serif">{excerpt(one.text)}</span>
              {one.count > 1 && (
                <span className="shrink-0 text-secure text-sm">
                  {plural(one.count, { one: "# time", other: "# times" })}
                </span>
              )}
              <span className="shrink-0 text-quiet text-sm">
                {t`line ${{ number: numberText(lineOf(opened, one.first)) }}`}
              </span>
            </button>
          </li>
        ))}
      </ol>
      {found.length === 0 && <p className="mt-2 text-quiet text-sm">{t`No classified text contains “${filter}”.`}</p>}
      {left > 0 && (
        <p className="mt-2 text-quiet text-sm">
          {plural(left, { one: "# more. Filter to find it.", other: "# more. Filter to find them." })}
        </p>
      )}
    </Dialog>
  );
}

function partsText(spans: number, texts: number): string {
  if (spans === texts) return plural(spans, { one: "# part.", other: "# parts." });
  const different = numberText(texts);
  return plural(spans, { one: `# part, ${different} different.`, other: `# parts, ${different} different.` });
}

function excerpt(text: string): string {
  const line = text.slice(0, MOST_CHARACTERS + 1).replace(/\s+/g, " ");
  if (line.trim() === "") return text === "" ? t`(empty)` : t`(white space)`;
  return line.length > MOST_CHARACTERS || text.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}…` : line;
}

function lineOf(opened: ReaderDocument, span: number): number {
  const offset = opened.spans[span]?.from ?? 0;
  const block = opened.blocks[blockAt(opened, offset)];
  if (!block) return 1;
  let line = block.line;
  for (let at = opened.shown.indexOf("\n", block.from); at >= 0 && at < offset; at = opened.shown.indexOf("\n", at + 1))
    line += 1;
  return line;
}
