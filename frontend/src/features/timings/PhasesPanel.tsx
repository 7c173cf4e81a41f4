import { t } from "@lingui/core/macro";
import { useState } from "react";
import type { TimedPhase, TimingsPhases } from "@/api/timings";
import { FigureTable } from "@/components/FigureTable";
import { Button } from "@/components/ui/Button";
import { SegmentedControl } from "@/components/ui/SegmentedControl";
import { modeName } from "@/features/transfers/modes";
import { durationText } from "@/lib/durations";
import { numberText } from "@/lib/numbers";
import { percentInText } from "@/lib/percent";
import { shareClassText, sizeClassText } from "./classes";
import { Panel } from "./Panel";
import { PhaseBars, PhaseLegend } from "./PhaseBars";
import { barsOf, hiddenIn, hiddenText, longestPhase, PHASES } from "./phases";
import { notFirst, PHASES_BY } from "./timings-search";
import { useTimingsView } from "./timings-view";
import { useTimings } from "./use-timings";

const HEADING: Record<(typeof PHASES_BY)[number], string> = {
  size: t`Size`,
  share: t`Share classified`,
  peer: t`Peer`,
  mode: t`Mode`,
};

const BY_NAME: Record<(typeof PHASES_BY)[number], string> = {
  size: t`By size`,
  share: t`By share`,
  peer: t`By peer`,
  mode: t`By mode`,
};

const BARS_NAME: Record<(typeof PHASES_BY)[number], string> = {
  size: t`Phases by size`,
  share: t`Phases by share classified`,
  peer: t`Phases by peer`,
  mode: t`Phases by mode`,
};

/** Where the time of delivered transfers goes: the mean of each phase. */
export function PhasesPanel() {
  const { search, change } = useTimingsView();
  const by = search.phases ?? "size";
  const loaded = useTimings("phases", { by });
  return (
    <Panel
      lead={t`The mean time of each phase of a transfer that was sent and delivered. Select a phase to leave it out.`}
      part="phases"
      loaded={loaded}
      isEmpty={({ groups }) => groups.length === 0}
      empty={t`No delivered transfers here. Choose a longer time range, or remove a filter.`}
      controls={
        <SegmentedControl
          label={t`Compare`}
          value={by}
          onValueChange={(value) => change({ phases: notFirst(PHASES_BY, value) })}
          segments={PHASES_BY.map((value) => ({ value, label: BY_NAME[value] }))}
        />
      }
      table={(phases) => <PhaseTable phases={phases} />}
    >
      {(phases) => <Phases phases={phases} />}
    </Panel>
  );
}

function Phases({ phases: { by, groups } }: { phases: TimingsPhases }) {
  const { search, change } = useTimingsView();
  const hidden = hiddenIn(search.hidden);
  // Large documents take so much longer that the bars of small ones would not be seen.
  const [equal = by === "size", setEqual] = useState<boolean>();
  const longest = longestPhase(groups, hidden);
  const bars = barsOf(groups, hidden).map((bar) => ({ ...bar, label: groupText(by, bar) }));
  const toggle = (phase: TimedPhase) => {
    const next = new Set(hidden);
    if (!next.delete(phase)) next.add(phase);
    change({ hidden: hiddenText(next) });
  };
  return (
    <div className="flex flex-col gap-4">
      {longest && (
        <p className="text-sm">{t`${longest.label} takes ${percentInText(longest.share)} of the time shown.`}</p>
      )}
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <PhaseLegend hidden={hidden} onToggle={toggle} />
        <Button
          size="sm"
          aria-pressed={equal}
          onClick={() => setEqual(!equal)}
          className="aria-pressed:bg-ink/8"
        >{t`Equal lengths`}</Button>
      </div>
      <PhaseBars label={BARS_NAME[by]} bars={bars} sameLength={equal} />
    </div>
  );
}

function PhaseTable({ phases: { by, groups } }: { phases: TimingsPhases }) {
  return (
    <FigureTable
      caption={t`The mean time of each phase`}
      columns={[HEADING[by], t`Transfers`, ...PHASES.map(({ label }) => label), t`Sum`]}
      rows={barsOf(groups).map((bar, index) => ({
        key: bar.key,
        cells: [
          groupText(by, bar),
          numberText(bar.count),
          ...PHASES.map(({ id }) => durationText(groups[index]?.mean_ms[id] ?? 0)),
          durationText(bar.totalMs),
        ],
      }))}
    />
  );
}

/** The page's words for a group; the gateway's for a peer. */
function groupText(by: TimingsPhases["by"], { key, label }: { key: string; label: string }): string {
  if (by === "size") return sizeClassText(key);
  if (by === "share") return shareClassText(key);
  return by === "mode" ? modeName(key) : label;
}
