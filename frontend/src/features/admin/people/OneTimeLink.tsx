import type { LinkMade } from "@/api/types";
import { CopyButton } from "@/components/ui/CopyButton";
import { RelativeTime } from "@/components/ui/RelativeTime";

/** A link that was just made, to be handed on. */
export function OneTimeLink({ link, name }: { link: LinkMade; name: string }) {
  const address = new URL(link.url, globalThis.location.origin).href;
  return (
    <div className="flex flex-col gap-3">
      <output
        aria-label={`One-time link for ${name}`}
        className="block select-all wrap-anywhere rounded-md border border-line bg-sunken px-3 py-2 font-mono text-sm"
      >
        {address}
      </output>
      <div>
        <CopyButton text={address} what="link" worded />
      </div>
      <p className="text-quiet text-sm">
        Send it to {name} in a way you trust. The first person to open it sets the password. It works once and expires{" "}
        <RelativeTime at={link.expires_at} />.
      </p>
    </div>
  );
}
