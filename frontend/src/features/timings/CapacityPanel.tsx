import { plural, t } from "@lingui/core/macro";
import { useMemo } from "react";
import { saidText } from "@/api/sentence-text";
import type { TimingsCapacity } from "@/api/timings";
import { Button } from "@/components/ui/Button";
import { modeName, modeNameInText } from "@/features/transfers/modes";
import { durationText } from "@/lib/durations";
import { numberText } from "@/lib/numbers";
import { percentInText } from "@/lib/percent";
import { sentence } from "@/lib/prose";
import { absoluteText } from "@/lib/times";
import { useDebounced } from "@/lib/use-debounced";
import { withoutEmpty } from "@/lib/without-empty";
import { CapacityChart } from "./CapacityChart";
import { CapacityTable } from "./CapacityTable";
import { busiestText, chosenModel, highestLoad, MODEL_NAME, type Wish, wishIn, wishText } from "./capacity";
import { Panel } from "./Panel";
import { rateText } from "./queue";
import { useMovingText } from "./timings-view";
import { useTimings } from "./use-timings";
import { WishSliders } from "./WishSliders";

/** So long a slider rests before the gateway is asked. */
const REST_MS = 200;

/** The load that this gateway can carry: as measured, and for other loads and documents. */
export function CapacityPanel() {
  const [asked, setAsked] = useMovingText("if", { entries: false });
  const wish = useMemo(() => wishIn(asked), [asked]);
  const setWish = (next: Wish) => setAsked(wishText(next));
  const rested = useDebounced(wish, REST_MS);
  const loaded = useTimings(
    "capacity",
    useMemo(() => withoutEmpty({ ...rested }) as Record<string, string | number>, [rested]),
  );
  return (
    <Panel
      lead={t`The load that this gateway can carry, by queueing models that are fitted to the measured transfers.`}
      part="capacity"
      loaded={loaded}
      steady
      isEmpty={({ measured, curves }) => measured.length === 0 && curves.every(({ count }) => count === 0)}
      empty={t`No delivered transfers here. Choose a longer time range, or remove a filter.`}
      table={(capacity) => <CapacityTable capacity={capacity} />}
    >
      {(capacity) => (
        <div className="flex flex-col gap-8">
          <Measured capacity={capacity} />
          {hasPoints(capacity) && <CapacityChart capacity={capacity} />}
          <div className="flex flex-col gap-4">
            <div className="flex flex-wrap items-center justify-between gap-3">
              <h3 className="font-medium">{t`What if`}</h3>
              <Button
                size="sm"
                disabled={Object.keys(wish).length === 0}
                onClick={() => setWish({})}
              >{t`As measured`}</Button>
            </div>
            <div className="grid grid-cols-1 gap-x-8 gap-y-6 lg:grid-cols-[3fr_2fr] lg:grid-rows-[auto_1fr]">
              <Answer capacity={capacity} />
              <div className="lg:col-start-1 lg:row-span-2 lg:row-start-1">
                <WishSliders wish={wish} asked={capacity.asked} onChange={setWish} />
              </div>
              <Demands capacity={capacity} />
            </div>
          </div>
        </div>
      )}
    </Panel>
  );
}

function hasPoints({ measured, curves }: TimingsCapacity): boolean {
  return measured.length > 0 || curves.some(({ points }) => points.length > 0);
}

/** Of the saturation: a smaller measured load says little about it. */
const LITTLE_LOAD = 0.1;

/** What the models say of the measured mix. */
function Measured({ capacity }: { capacity: TimingsCapacity }) {
  const { load, models, models_reason, models_said } = capacity;
  const model = chosenModel(capacity);
  const highest = highestLoad(load).perSecond;
  // The best number of servers may be one.
  const different = models.filter(({ name, servers }) => name === "single-server" || servers > 1);
  return (
    <div className="flex max-w-prose flex-col gap-2 text-sm">
      <p className="font-serif text-lg">
        {model
          ? t`This gateway saturates near ${rateText(model.saturation_per_s)} at this mix.`
          : models_said?.code === "curve-rates-alike"
            ? t`The load was too even to say where this gateway saturates. Choose a longer time range.`
            : t`Not enough transfers yet to say where this gateway saturates. Choose a longer time range.`}
      </p>
      {!model && models_reason !== null && <p>{sentence(saidText(models_said, models_reason))}</p>}
      <p>
        {t`Transfers ended at ${rateText(load.rate_per_s)} on average.`} {busiestText(load)}{" "}
        {model && t`That is ${percentInText(highest / model.saturation_per_s)} of the saturation.`}{" "}
        {model &&
          highest < LITTLE_LOAD * model.saturation_per_s &&
          t`So little load says little about saturation: take it as a rough estimate.`}
      </p>
      {models.length > 0 && (
        <ul className="text-quiet">
          {different.map(({ name, servers, demand_ms, saturation_per_s, error_percent }) => (
            <li key={name}>
              {modelText(name, servers)}{" "}
              {t`${durationText(demand_ms)} for a transfer, saturated at ${rateText(saturation_per_s)}; error ${numberText(Math.round(error_percent))} %.`}
              {different.length > 1 && name === capacity.chosen && ` ${t`This one is used.`}`}
            </li>
          ))}
          {different.length < models.length && <li>{t`A model with more servers does not fit better.`}</li>}
        </ul>
      )}
    </div>
  );
}

function modelText(name: keyof typeof MODEL_NAME, servers: number): string {
  if (servers === 1) return t`${MODEL_NAME[name]}:`;
  return t`${MODEL_NAME[name]}: ${plural(servers, { one: "# server", other: "# servers" })},`;
}

/** The response for what the sliders ask about. It is announced when it changes, and stays in view while they move. */
function Answer({ capacity: { answer, asked } }: { capacity: TimingsCapacity }) {
  const { response_ms, saturation_per_s, mode, said } = answer;
  return (
    <div
      aria-live="polite"
      className="sticky top-16 z-10 flex flex-col gap-1 self-start rounded-lg bg-paper px-5 py-3 text-sm shadow-sheet sm:py-5 lg:top-20 lg:col-start-2"
    >
      <p className="flex flex-wrap items-baseline justify-between gap-x-4">
        <span className="text-quiet">{t`Mean total time`}</span>
        <span className="font-serif text-3xl">{response_ms === null ? "–" : durationText(response_ms)}</span>
      </p>
      {mode && response_ms !== null && <p>{t`Sent over: ${modeNameInText(mode)}.`}</p>}
      {response_ms !== null && saturation_per_s !== null && (
        <p>{t`Saturated at ${rateText(saturation_per_s)}: the load is ${percentInText(asked.rate_per_s / saturation_per_s)} of that.`}</p>
      )}
      {said.map((one) => (
        <p key={one.code}>{sentence(saidText(one, one.text))}</p>
      ))}
    </div>
  );
}

/** What an attempt takes in each mode. */
function Demands({ capacity: { curves, sampled, sampled_since } }: { capacity: TimingsCapacity }) {
  const delivered = curves.reduce((total, { count }) => total + count, 0);
  return (
    <div className="flex flex-col gap-3 text-sm lg:col-start-2">
      <dl className="flex flex-col gap-3">
        {curves.map(({ mode, demand_ms, demand_ci95_ms, count, sampled, extrapolated, reason, said }) => (
          <div key={mode}>
            <dt className="font-medium">{modeName(mode)}</dt>
            <dd className="text-quiet">
              {demand_ms === null
                ? reason === null
                  ? t`There are not enough transfers.`
                  : sentence(saidText(said, reason))
                : t`${durationText(demand_ms)} ± ${durationText(demand_ci95_ms ?? 0)} for an attempt without a queue, from ${plural(sampled, { one: "# transfer", other: "# transfers" })}.`}
              {demand_ms === null &&
                sampled < count &&
                ` ${t`The sample has ${numberText(sampled)} of ${numberText(count)}.`}`}
              {extrapolated && t`No measured document was similar.`}
            </dd>
          </div>
        ))}
      </dl>
      {sampled > 0 && <p className="text-quiet">{sampleText(sampled, delivered, sampled_since)}</p>}
    </div>
  );
}

/** From which transfers the times are. */
function sampleText(sampled: number, delivered: number, since: string | null): string {
  if (sampled >= delivered) return t`Fitted to all ${plural(sampled, { one: "# transfer", other: "# transfers" })}.`;
  return since === null
    ? t`Fitted to a random sample of ${plural(sampled, { one: "# transfer", other: "# transfers" })}.`
    : t`Fitted to a random sample of ${plural(sampled, { one: "# transfer", other: "# transfers" })} since ${absoluteText(new Date(since))}: the gateway no longer keeps earlier transfers one by one.`;
}
