/** A label's colour. It is decorative, because the label's name is beside it. */
export function Swatch({ colour }: { colour: string | null }) {
  return (
    <svg aria-hidden viewBox="0 0 16 16" className="size-4">
      <rect x="2" y="2" width="12" height="12" rx="2" fill={colour ?? "none"} stroke="var(--edge)" />
    </svg>
  );
}
