import { t } from "@lingui/core/macro";
import { useMemo } from "react";
import type { BatchRsaFound } from "@/api/laboratory";
import { FigureTable } from "@/components/FigureTable";
import { Subsection } from "@/components/Subsection";
import { durationText } from "@/lib/durations";
import { numberText } from "@/lib/numbers";
import { type Line, LineChart } from "./LineChart";

type Operation = BatchRsaFound["today"][number]["name"];

const SHOWN_BITS = 2048;
const SIZES_BITS = 1024;
const SPEEDUP_TITLE = t`Speed-up with 2048 bits, by batch size`;
const SIZES_TITLE = t`Optimal batch size with 1024 bits`;
const TODAY_TITLE = t`The server’s private operations of one handshake`;

const OPERATION: Record<Operation, string> = {
  "rsa-plain": t`RSA key exchange, one by one, without CRT (GMP)`,
  "rsa-crt": t`RSA key exchange, one by one, with CRT (GMP)`,
  "rsa-batch-4": t`RSA key exchange in batches of 4, with CRT (GMP)`,
  "rsa-batch-8": t`RSA key exchange in batches of 8, with CRT (GMP)`,
  "rsa-openssl": t`RSA key exchange, one by one (OpenSSL)`,
  "ecdhe-rsa": t`ECDHE with an RSA signature (OpenSSL)`,
  "ecdhe-ecdsa": t`ECDHE with ECDSA (OpenSSL)`,
};

/** Speed-ups, batch sizes, and what servers do today. */
export function BatchRsaCharts({ found }: { found: BatchRsaFound }) {
  const speedups = useMemo(() => speedupLines(found), [found]);
  const sizes = useMemo(() => sizeLines(found), [found]);
  return (
    <div className="flex flex-col gap-8">
      <Subsection title={SPEEDUP_TITLE}>
        <LineChart
          label={t`How much less time a batch takes than one decryption after the other, by batch size`}
          x={t`Batch size`}
          lines={speedups}
          whole
        />
      </Subsection>
      <Subsection title={SIZES_TITLE}>
        <LineChart
          label={t`The optimal batch size by handshakes a second, printed and by the printed algorithm`}
          x={t`Handshakes a second`}
          lines={sizes}
          whole
        />
      </Subsection>
      <Subsection title={TODAY_TITLE}>
        <Today found={found} />
      </Subsection>
    </div>
  );
}

/** All numbers. */
export function BatchRsaTables({ found }: { found: BatchRsaFound }) {
  return (
    <div className="flex flex-col gap-8">
      <Subsection title={t`Speed-up`}>
        <FigureTable
          caption={t`Speed-up`}
          columns={[t`Key and batch`, t`Equation 1`, t`Measured in the paper`, t`Without CRT`, t`With CRT`, t`Blinded`]}
          rows={found.speedups
            .filter(({ form }) => form === "no crt")
            .map(({ bits, batch, formula, printed_real, speedup }) => ({
              key: `${bits} ${batch}`,
              cells: [
                t`${bits} bits, ${batch} together`,
                factor(formula),
                printed_real === null ? "–" : factor(printed_real),
                factor(speedup),
                factor(speedupOf(found, bits, batch, "crt")),
                factor(speedupOf(found, bits, batch, "safe")),
              ],
            }))}
        />
      </Subsection>
      <Subsection title={t`Optimal batch size`}>
        <FigureTable
          caption={t`Optimal batch size`}
          columns={[t`Handshakes and key`, t`Printed`, t`By the printed algorithm`]}
          rows={found.sizes.map(({ rate_per_s, bits, printed, ours }) => ({
            key: `${rate_per_s} ${bits}`,
            cells: [t`${rate_per_s} a second, ${bits} bits`, printed, ours],
          }))}
        />
      </Subsection>
      <Subsection title={TODAY_TITLE}>
        <Today found={found} />
      </Subsection>
    </div>
  );
}

function Today({ found }: { found: BatchRsaFound }) {
  return (
    <FigureTable
      caption={TODAY_TITLE}
      columns={[t`Handshake`, t`Processor time`]}
      rows={found.today.map(({ name, ms }) => ({ key: name, cells: [OPERATION[name], durationText(ms)] }))}
    />
  );
}

function speedupLines({ speedups }: BatchRsaFound): Line[] {
  const rows = speedups.filter(({ bits }) => bits === SHOWN_BITS);
  const bare = rows.filter(({ form }) => form === "no crt");
  const crt = rows.filter(({ form }) => form === "crt");
  return [
    {
      name: t`Equation 1 of the paper`,
      look: "computed",
      points: bare.map(({ batch, formula }) => [batch, formula] as const),
    },
    {
      name: t`Measured in the paper`,
      look: "printed",
      points: bare.flatMap(({ batch, printed_real }) =>
        printed_real === null ? [] : [[batch, printed_real] as const],
      ),
    },
    { name: t`Measured here, without CRT`, look: "ours", points: bare.map((row) => [row.batch, row.speedup] as const) },
    {
      name: t`Measured here, with CRT`,
      look: "other-ours",
      points: crt.map((row) => [row.batch, row.speedup] as const),
    },
  ];
}

function sizeLines({ sizes }: BatchRsaFound): Line[] {
  const rows = sizes.filter(({ bits }) => bits === SIZES_BITS);
  return [
    { name: t`By the printed algorithm`, look: "ours", points: rows.map((row) => [row.rate_per_s, row.ours] as const) },
    { name: t`Printed`, look: "printed", points: rows.map((row) => [row.rate_per_s, row.printed] as const) },
  ];
}

function speedupOf({ speedups }: BatchRsaFound, bits: number, batch: number, form: "crt" | "safe"): number {
  return speedups.find((row) => row.bits === bits && row.batch === batch && row.form === form)?.speedup ?? 0;
}

function factor(value: number): string {
  return numberText(value, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}
