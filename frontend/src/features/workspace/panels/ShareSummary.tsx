import { t } from "@lingui/core/macro";
import { CHANNEL_NAME, type Channel, ChannelIcon } from "@/components/channels";
import { WhatIsThis } from "@/components/help/WhatIsThis";
import { Bytes } from "@/components/ui/Bytes";
import { percentText } from "@/lib/percent";

interface Shares {
  readonly documentBytes: number;
  readonly classifiedBytes: number;
  readonly plainBytes: number;
  /** The classified part of the document: 0 to 1. */
  readonly proportion: number;
}

/** How the document divides between the two channels: the proportion, the bytes, and a bar in true proportion. */
export function ShareSummary({ counts }: { counts: Shares }) {
  const { proportion, documentBytes } = counts;
  return (
    <div>
      <p className="flex items-baseline gap-2">
        <span className="font-serif text-3xl leading-none">{percentText(documentBytes === 0 ? 0 : proportion)}</span>
        <span className="text-quiet text-sm">{t`classified`}</span>
        <WhatIsThis term="classified" className="-ml-1" />
      </p>
      <div aria-hidden className="mt-3 flex h-2.5 gap-px overflow-hidden rounded-sm">
        {documentBytes === 0 ? (
          <span className="flex-1 bg-ink/8" />
        ) : (
          <>
            {proportion > 0 && <span className="bar-secure min-w-1" style={{ width: `${proportion * 100}%` }} />}
            {proportion < 1 && <span className="bar-plain min-w-1 flex-1" />}
          </>
        )}
      </div>
      <dl className="mt-3 flex flex-col gap-1 text-sm">
        <Lane channel="secure" bytes={counts.classifiedBytes} />
        <Lane channel="plain" bytes={counts.plainBytes} />
      </dl>
    </div>
  );
}

function Lane({ channel, bytes }: { channel: Channel; bytes: number }) {
  return (
    <div className="flex items-center gap-2">
      <ChannelIcon channel={channel} className="size-3.5" />
      <dt className="flex flex-1 items-center gap-1">
        {CHANNEL_NAME[channel]}
        <WhatIsThis term={`${channel} channel`} />
      </dt>
      <dd className="text-quiet tabular-nums">
        <Bytes value={bytes} />
      </dd>
    </div>
  );
}
