import { Link } from "@tanstack/react-router";
import type { TransferShown } from "@/api/types";
import { Bytes } from "@/components/ui/Bytes";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { listText, withOthers } from "@/lib/prose";
import { TransferState } from "./TransferState";

/** How a row divides from 768 px on; the skeleton of the list has it, too. */
export const ROW =
  "grid gap-x-6 gap-y-2 px-4 py-4 sm:px-6 md:grid-cols-[minmax(0,1fr)_minmax(0,16rem)_5.5rem_8rem] md:items-center";

/** One transfer of mine. The whole row leads to it. */
export function TransferRow({ transfer }: { transfer: TransferShown }) {
  return (
    <li className={`${ROW} relative border-line border-b last:border-b-0 hover:bg-sunken`}>
      <div className="min-w-0">
        <h2 className="wrap-anywhere line-clamp-2 font-serif text-[1.0625rem] leading-snug">
          <Link
            to="/sent/$id"
            params={{ id: transfer.id }}
            className="no-underline after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-focus focus-visible:after:-outline-offset-2"
          >
            {transfer.name}
          </Link>
        </h2>
        <p className="wrap-anywhere line-clamp-2 text-quiet text-sm">
          To {listText(transfer.recipients)} at {transfer.peer}
          {transfer.plan.batch !== null && `, ${withOthers(transfer.plan.batch)}`}
        </p>
      </div>
      <TransferState transfer={transfer} />
      <p className="flex gap-x-4 text-quiet text-sm md:contents">
        <Bytes value={transfer.document_bytes} className="md:text-right" />
        <span>
          <span className="md:sr-only">Sent </span>
          <RelativeTime at={transfer.created_at} />
        </span>
      </p>
    </li>
  );
}
