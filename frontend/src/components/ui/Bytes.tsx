import { bytesText, sizeText } from "@/lib/sizes";

/** A size for people, with the exact number of bytes as its title. */
export function Bytes({ value, className }: { value: number; className?: string }) {
  return (
    <data value={value} title={bytesText(value)} className={className}>
      {sizeText(value)}
    </data>
  );
}
