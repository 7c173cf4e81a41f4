import { t } from "@lingui/core/macro";
import { Maximize, ZoomIn, ZoomOut } from "lucide-react";
import { useDeferredValue, useMemo, useState } from "react";
import type { TimingsPoints } from "@/api/timings";
import { Button } from "@/components/ui/Button";
import { IconButton } from "@/components/ui/IconButton";
import { SegmentedControl } from "@/components/ui/SegmentedControl";
import { numberText } from "@/lib/numbers";
import { Panel } from "./Panel";
import { PointChart } from "./PointChart";
import { PointTable } from "./PointTable";
import { type PointAxis, positionsOf, slowestFirst, type View, viewIn, viewText, wholeView, zoomed } from "./points";
import { notFirst, POINTS_ACROSS } from "./timings-search";
import { useMovingText, useTimingsView } from "./timings-view";
import { useTimings } from "./use-timings";

const AXES = [
  { value: "size", label: t`By size` },
  { value: "share", label: t`By share classified` },
] as const;
const FEW = 20_000;
/** As many as the gateway answers with. */
const MANY = 100_000;
const ZOOM_STEP = 0.5;

/** Every delivered transfer as a point: its size or share classified against its response. */
export function PointsPanel() {
  const [limit, setLimit] = useState(FEW);
  const loaded = useTimings("points", { limit });
  const { search, change } = useTimingsView();
  const axis = search.points ?? "size";
  const [zoom, setZoom] = useMovingText("zoom", { entries: true });
  // Null: all points.
  const view = useMemo(() => viewIn(zoom), [zoom]);
  return (
    <Panel
      lead={t`Each point is a delivered transfer. Select one to open it; zoom in to separate points. Ctrl and the wheel zoom, too.`}
      part="points"
      loaded={loaded}
      isEmpty={({ count }) => count === 0}
      empty={t`No delivered transfers here. Choose a longer time range, or remove a filter.`}
      controls={
        <SegmentedControl
          label={t`Horizontal axis`}
          value={axis}
          onValueChange={(value) => {
            setZoom(undefined);
            change({ points: notFirst(POINTS_ACROSS, value), zoom: undefined });
          }}
          segments={AXES}
        />
      }
      // The deferred view of one axis has no meaning on the other, so the table is mounted again.
      table={(points) => (
        <div className="flex flex-col gap-2">
          <Sample points={points} limit={limit} onLimit={setLimit} />
          <Slowest key={axis} points={points} axis={axis} view={view} />
        </div>
      )}
    >
      {(points) => (
        <div className="flex flex-col gap-2">
          <Points points={points} axis={axis} view={view} onView={(next, isHeld) => setZoom(viewText(next), isHeld)} />
          <Sample points={points} limit={limit} onLimit={setLimit} />
        </div>
      )}
    </Panel>
  );
}

interface SampleProps {
  points: TimingsPoints;
  limit: number;
  onLimit: (limit: number) => void;
}

/** Says that not all transfers are here, if so. */
function Sample({ points, limit, onLimit }: SampleProps) {
  if (points.of <= points.count) return null;
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-2 text-quiet text-sm">
      {t`A random ${numberText(points.count)} of ${numberText(points.of)} transfers.`}
      {limit < MANY && <Button size="sm" onClick={() => onLimit(MANY)}>{t`Show up to ${numberText(MANY)}`}</Button>}
    </p>
  );
}

interface PointsProps {
  points: TimingsPoints;
  axis: PointAxis;
  view: View | null;
  /** `isHeld`: the pointer still moves it. */
  onView: (view: View | null, isHeld?: boolean) => void;
}

function Points({ points, axis, view, onView }: PointsProps) {
  const positions = useMemo(() => positionsOf(points, axis), [points, axis]);
  const whole = useMemo(() => wholeView(positions, axis), [positions, axis]);
  // The address may be of other points.
  const shown = useMemo(() => (view ? zoomed(view, 1, whole) : whole), [view, whole]);
  const show = (next: View, isHeld = false) => onView(next.x === whole.x && next.y === whole.y ? null : next, isHeld);
  const zoom = (factor: number) => show(zoomed(shown, factor, whole));
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-x-4">
        <Legend />
        <div className="flex">
          <IconButton label={t`Zoom in`} icon={<ZoomIn />} size="sm" onClick={() => zoom(ZOOM_STEP)} />
          <IconButton label={t`Zoom out`} icon={<ZoomOut />} size="sm" onClick={() => zoom(1 / ZOOM_STEP)} />
          <IconButton label={t`Show all points`} icon={<Maximize />} size="sm" onClick={() => onView(null)} />
        </div>
      </div>
      <PointChart points={points} positions={positions} axis={axis} view={shown} whole={whole} onView={show} />
    </div>
  );
}

function Legend() {
  return (
    <ul className="flex flex-wrap gap-x-4 text-sm">
      <li className="flex items-center gap-1.5">
        <span aria-hidden className="size-2.5 rounded-full border-2 border-plain-fill" />
        {t`Both channels`}
      </li>
      <li className="flex items-center gap-1.5">
        <span aria-hidden className="size-2 bg-secure-fill" />
        {t`Secure channel only`}
      </li>
    </ul>
  );
}

/** The transfers in view, the slowest first. */
function Slowest({ points, axis, view }: Omit<PointsProps, "onView">) {
  const positions = useMemo(() => positionsOf(points, axis), [points, axis]);
  const whole = useMemo(() => wholeView(positions, axis), [positions, axis]);
  const shown = useDeferredValue(view) ?? whole;
  const rows = useMemo(() => slowestFirst(positions, shown), [positions, shown]);
  return <PointTable points={points} rows={rows} />;
}
