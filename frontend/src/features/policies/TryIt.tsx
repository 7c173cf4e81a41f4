import { plural, t } from "@lingui/core/macro";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { draftsQuery } from "@/api/drafts";
import { type DraftHit, type PolicyRule, type TextHit, tryInDraft, tryInText } from "@/api/policies";
import { hasRole } from "@/api/roles";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Field } from "@/components/ui/Field";
import { Section } from "@/components/ui/Section";
import { Select } from "@/components/ui/Select";
import { Textarea } from "@/components/ui/Textarea";
import { Units } from "@/lib/code-points";
import { cx } from "@/lib/cx";
import { numberText } from "@/lib/numbers";
import { useDebounced } from "@/lib/use-debounced";
import { useSession } from "@/session/session";
import type { Edited } from "./PolicyEditor";
import { ruleOf } from "./rule-id";

const PAUSE_MS = 300;
const MOST_LISTED = 50;
/** The choice of a text that is pasted, in place of a document's id. */
const PASTED = "";

/** Shows what the policy in the editor marks, saved or not, in a pasted text or in one of the reader's documents. */
export function TryIt({ edited }: { edited: Edited }) {
  const { person } = useSession();
  const isAuthor = hasRole(person, "author");
  const [sample, setSample] = useState("");
  const [document, setDocument] = useState(PASTED);
  const documents = useInfiniteQuery({ ...draftsQuery(), enabled: isAuthor });
  const drafts = documents.data?.pages.flatMap(({ items }) => items) ?? [];
  const { policy, usable } = edited;
  const asked = useDebounced(
    useMemo(() => ({ policy, sample, document }), [policy, sample, document]),
    PAUSE_MS,
  );
  const { data, error, refetch } = useQuery({
    queryKey: ["policies", "try", asked],
    queryFn: async ({ signal }): Promise<Result> => {
      // A new policy may have no name yet.
      const tried = { ...asked.policy, name: asked.policy.name.trim() || "new" };
      if (asked.document !== PASTED)
        return { text: null, ...(await tryInDraft(asked.document, tried, null, { signal })) };
      return { text: asked.sample, missing: [], ...(await tryInText(tried, null, asked.sample, { signal })) };
    },
    enabled: usable && asked.policy === policy && (asked.document !== PASTED || asked.sample !== ""),
    placeholderData: keepPreviousData,
    gcTime: 0,
    retry: false,
  });
  const shown =
    usable && data && (data.text === null) === (document !== PASTED) && (document !== PASTED || sample !== "");
  return (
    <Section title={t`Try it`} lead={t`Test the policy before you save it. Nothing is stored.`}>
      {drafts.length > 0 && (
        <Select
          label={t`Try it on`}
          value={document}
          onValueChange={setDocument}
          choices={[
            { value: PASTED, label: t`A pasted text` },
            ...drafts.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
      )}
      {document === PASTED && (
        <Field label={t`Sample text`} hint={usable ? undefined : t`Add a rule without problems first.`}>
          <Textarea
            value={sample}
            rows={5}
            maxLength={100_000}
            spellCheck={false}
            placeholder={t`Paste a few lines here`}
            className="max-h-64"
            onChange={({ target }) => setSample(target.value)}
          />
        </Field>
      )}
      {document !== PASTED && !usable && <p className="text-quiet text-sm">{t`Add a rule without problems first.`}</p>}
      {error && <ErrorPanel title={t`Could not test the policy.`} problem={error} onRetry={() => void refetch()} />}
      {shown && !error && <Tried {...data} rules={policy.rules} />}
    </Section>
  );
}

/** `text`: the pasted text; null where a document was searched. */
interface Result {
  readonly text: string | null;
  readonly hits: readonly (TextHit | DraftHit)[];
  readonly more: boolean;
  readonly missing: readonly string[];
}

function Tried({ text, hits, more, missing, rules }: Result & { rules: readonly PolicyRule[] }) {
  const units = useMemo(() => new Units(text ?? ""), [text]);
  const pieces = useMemo(() => (text === null ? [] : piecesOf(text, hits, units)), [text, hits, units]);
  const counts = useMemo(() => countsOf(hits, rules.length), [hits, rules.length]);
  const excerptOf = (hit: TextHit | DraftHit) =>
    "text" in hit ? hit.text || hit.address : (text ?? "").slice(units.of(hit.start), units.of(hit.end));
  return (
    <div className="flex flex-col gap-4">
      <p role="status" className="text-sm">
        {hits.length === 0
          ? t`No hits.`
          : more
            ? plural(hits.length, { one: "# hit, and more.", other: "# hits, and more." })
            : plural(hits.length, { one: "# hit.", other: "# hits." })}
      </p>
      {missing.map((says) => (
        <p key={says} className="wrap-anywhere text-sm">
          {says}
        </p>
      ))}
      <ol aria-label={t`Hits of each rule`} className="flex flex-col gap-1 text-sm">
        {counts.map((count, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a rule is its number
          <li key={index} className="flex justify-between gap-3">
            <span className="min-w-0 truncate">
              {[t`Rule ${{ number: index + 1 }}`, rules[index]?.reason].filter(Boolean).join(" · ")}
            </span>
            <span className={cx("shrink-0 tabular-nums", count === 0 && "text-quiet")}>
              {plural(count, { one: "# hit", other: "# hits" })}
            </span>
          </li>
        ))}
      </ol>
      {hits.length > 0 && (
        <>
          {text !== null && (
            // Focusable, because it may scroll, and keys must be able to scroll it.
            <section
              aria-label={t`Sample text with marks`}
              // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
              tabIndex={0}
              className="document max-h-64 overflow-y-auto rounded-md bg-paper px-4 py-3 text-sm shadow-sheet"
            >
              {pieces.map(({ from, text: piece, marked }) =>
                marked ? (
                  <mark key={from} className="classified">
                    {piece}
                  </mark>
                ) : (
                  piece
                ),
              )}
            </section>
          )}
          <ul aria-label={t`Hits`} className="flex flex-col gap-2 text-sm">
            {hits.slice(0, MOST_LISTED).map((hit, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two hits may have the same place
              <li key={at} className="min-w-0">
                <span className="block truncate font-serif">{excerptOf(hit)}</span>
                <span className="block text-quiet text-xs">
                  {[t`Rule ${{ number: ruleOf(hit.rule)?.number ?? hit.rule }}`, hit.reason, hit.label]
                    .filter(Boolean)
                    .join(" · ")}
                </span>
              </li>
            ))}
            {hits.length > MOST_LISTED && (
              <li className="text-quiet">{t`and ${{ left: numberText(hits.length - MOST_LISTED) }} more`}</li>
            )}
          </ul>
        </>
      )}
    </div>
  );
}

/** How many of the hits each rule has. */
function countsOf(hits: readonly { readonly rule: string }[], rules: number): readonly number[] {
  const counts = Array.from({ length: rules }, () => 0);
  for (const { rule } of hits) {
    const at = (ruleOf(rule)?.number ?? 0) - 1;
    if (at >= 0 && at < rules) counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts;
}

/** The text, cut where marks begin and end; hits that overlap are one. */
function piecesOf(text: string, hits: Result["hits"], units: Units) {
  const pieces: { from: number; text: string; marked: boolean }[] = [];
  let at = 0;
  const cut = (to: number, marked: boolean) => {
    if (to > at) pieces.push({ from: at, text: text.slice(at, to), marked });
    at = Math.max(at, to);
  };
  for (const { start, end } of hits.toSorted((one, other) => (one.start ?? 0) - (other.start ?? 0))) {
    cut(units.of(start ?? 0), false);
    cut(end === null ? text.length : units.of(end), true);
  }
  cut(text.length, false);
  return pieces;
}
