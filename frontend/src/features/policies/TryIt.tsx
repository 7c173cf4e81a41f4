import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { type PolicyShown, previewInText, type TextHit } from "@/api/policies";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Field } from "@/components/ui/Field";
import { Section } from "@/components/ui/Section";
import { Textarea } from "@/components/ui/Textarea";
import { Units } from "@/lib/code-points";
import { countText } from "@/lib/prose";
import { usePaused } from "@/lib/use-paused";
import { ruleOf } from "./rule-id";

const PAUSE_MS = 300;
const MOST_LISTED = 50;

interface TryItProps {
  /** The saved policy; null before the first save. */
  policy: PolicyShown | null;
  unsaved: boolean;
}

/** Shows what the saved policy marks in a sample text. The gateway does not keep the text. */
export function TryIt({ policy, unsaved }: TryItProps) {
  const [sample, setSample] = useState("");
  const asked = usePaused(sample, PAUSE_MS);
  const { data, error, refetch } = useQuery({
    queryKey: ["policies", "try", policy?.name, policy?.version, asked],
    queryFn: async ({ signal }) => ({ text: asked, ...(await previewInText(policy?.name ?? "", asked, { signal })) }),
    enabled: policy !== null && asked !== "",
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  return (
    <Section title="Try it" lead="Test the policy on sample text. The text is not saved.">
      <Field
        label="Sample text"
        hint={
          policy === null
            ? "Save the policy first."
            : unsaved
              ? `This tests version ${policy.version}. Save to test your changes.`
              : undefined
        }
      >
        <Textarea
          value={sample}
          rows={5}
          maxLength={100_000}
          spellCheck={false}
          placeholder="Paste a few lines here"
          disabled={policy === null}
          className="max-h-64"
          onChange={({ target }) => setSample(target.value)}
        />
      </Field>
      {error && <ErrorPanel title="Could not test the policy." problem={error} onRetry={() => void refetch()} />}
      {data && asked !== "" && !error && <Tried {...data} />}
    </Section>
  );
}

function Tried({ text, hits, more }: { text: string; hits: readonly TextHit[]; more: boolean }) {
  const units = useMemo(() => new Units(text), [text]);
  const pieces = useMemo(() => piecesOf(text, hits, units), [text, hits, units]);
  return (
    <div className="flex flex-col gap-4">
      <p role="status" className="text-sm">
        {hits.length === 0 ? "No hits." : `${countText(hits.length, "hit", "hits")}${more ? ", and more" : ""}.`}
      </p>
      {hits.length > 0 && (
        <>
          {/* Focusable, because it may scroll, and keys must be able to scroll it. */}
          <section
            aria-label="Sample text with marks"
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
          <ul aria-label="Hits" className="flex flex-col gap-2 text-sm">
            {hits.slice(0, MOST_LISTED).map((hit) => (
              <li key={`${hit.start} ${hit.end} ${hit.rule}`} className="min-w-0">
                <span className="block truncate font-serif">{text.slice(units.of(hit.start), units.of(hit.end))}</span>
                <span className="block text-quiet text-xs">
                  {[`Rule ${ruleOf(hit.rule)?.number ?? hit.rule}`, hit.reason, hit.label].filter(Boolean).join(" · ")}
                </span>
              </li>
            ))}
            {hits.length > MOST_LISTED && (
              <li className="text-quiet">and {(hits.length - MOST_LISTED).toLocaleString("en")} more</li>
            )}
          </ul>
        </>
      )}
    </div>
  );
}

/** The text, cut where marks begin and end; hits that overlap are one. */
function piecesOf(text: string, hits: readonly TextHit[], units: Units) {
  const pieces: { from: number; text: string; marked: boolean }[] = [];
  let at = 0;
  const cut = (to: number, marked: boolean) => {
    if (to > at) pieces.push({ from: at, text: text.slice(at, to), marked });
    at = Math.max(at, to);
  };
  for (const { start, end } of [...hits].sort((one, other) => one.start - other.start)) {
    cut(units.of(start), false);
    cut(units.of(end), true);
  }
  cut(text.length, false);
  return pieces;
}
