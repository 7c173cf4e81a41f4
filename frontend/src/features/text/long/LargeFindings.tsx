import { useMemo } from "react";
import type { FindingShown } from "@/api/findings";
import { Button } from "@/components/ui/Button";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { NAME_ADDRESS } from "@/features/transfers/findings";
import { GuardFindings, NOTHING_FOUND } from "@/features/workspace/panels/GuardFindings";
import type { LeftFindings } from "@/features/workspace/panels/left-findings";
import type { TextSpan } from "@/marked-text/markup";
import type { LargeEditor } from "./engine/editor";
import { isClassified, spansField } from "./engine/spans";
import { useAfterPause } from "./use-after-pause";
import type { Looked, Looking } from "./use-look";

interface LargeFindingsProps {
  editor: LargeEditor;
  looking: Looking;
  left: LeftFindings;
  /** Nothing can be changed. */
  readOnly: boolean;
  /** After it was gone to a finding. */
  onJumped: () => void;
}

/** What the gateway's leak guard finds in a long text, at the places where that stands by now. */
export function LargeFindings({ editor, looking, left, readOnly, onJumped }: LargeFindingsProps) {
  const { looked, pending, error, again } = looking;
  const turn = useAfterPause(editor);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `turn` says that text or spans are others
  const open = useMemo(
    () => looked?.checked.findings.filter((finding) => isOpen(editor, looked, finding)),
    [editor, looked, turn],
  );
  const isCurrent = looked?.look.isCurrent() ?? false;
  return (
    <section
      aria-labelledby="findings"
      tabIndex={-1}
      className="flex max-h-[38%] shrink-0 flex-col gap-2 border-line border-t pt-4 outline-none"
    >
      <div className="flex items-baseline justify-between gap-2">
        <h2 id="findings" className="font-medium text-sm">
          Findings
        </h2>
        {open && (
          <span data-findings className="text-quiet text-sm">
            {open.length.toLocaleString("en")}
          </span>
        )}
      </div>
      {error && <ErrorPanel title="It was not looked through." problem={error} onRetry={again} />}
      {looked && open && (
        <GuardFindings
          findings={open}
          none={isCurrent ? NOTHING_FOUND : "All that was found then is marked, or gone."}
          more={looked.checked.more}
          hasPlace={(finding) => finding.address !== NAME_ADDRESS && looked.look.place(finding) !== null}
          onJump={(finding) => {
            const place = looked.look.place(finding);
            if (place) editor.select(place);
            onJumped();
          }}
          onMark={
            readOnly ? null : (findings) => editor.mark(findings.flatMap((finding) => looked.look.place(finding) ?? []))
          }
          left={left}
        />
      )}
      {!isCurrent && !error && (
        <p className="flex min-h-8 items-center justify-between gap-2 text-quiet text-sm">
          {pending ? "Looking for leaks…" : "The gateway looks for leaks once you pause."}
          <Button size="sm" busy={pending} onClick={again}>
            Look now
          </Button>
        </p>
      )}
    </section>
  );
}

/** The first place that is still to be decided behind the selection; behind the last one, the first of all. */
export function nextFinding(editor: LargeEditor, looked: Looked): TextSpan | null {
  const { to } = editor.state.selection.main;
  const places = looked.checked.findings
    .filter((finding) => finding.address !== NAME_ADDRESS && isOpen(editor, looked, finding))
    .flatMap((finding) => looked.look.place(finding) ?? [])
    .sort((one, other) => one.from - other.from);
  return places.find(({ from }) => from >= to) ?? places[0] ?? null;
}

/** Whether it is still to be decided: what was marked or deleted since is not. */
function isOpen(editor: LargeEditor, { look }: Looked, finding: FindingShown): boolean {
  if (finding.start === null || finding.kind === "sent" || finding.address === NAME_ADDRESS) return true;
  const place = look.place(finding);
  return place !== null && !isClassified(editor.state.field(spansField), place.from, place.to);
}
