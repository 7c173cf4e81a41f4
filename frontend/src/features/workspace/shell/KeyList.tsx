import { type KeyHelp, keyText } from "./shortcuts";

/** Keys, and what each of them does. */
export function KeyList({ help }: { help: readonly KeyHelp[] }) {
  return (
    <dl className="grid gap-x-6 gap-y-3 text-sm sm:grid-cols-[auto_1fr]">
      {help.map(({ keys, does }) => (
        <div key={does} className="grid items-baseline gap-y-1 sm:col-span-2 sm:grid-cols-subgrid">
          <dt className="flex flex-wrap gap-1">
            {keys.map((key) => (
              <kbd
                key={key}
                className="whitespace-nowrap rounded-sm border border-edge/60 bg-sunken px-1.5 py-0.5 font-sans text-xs"
              >
                {keyText(key)}
              </kbd>
            ))}
          </dt>
          <dd className="text-quiet">{does}</dd>
        </div>
      ))}
    </dl>
  );
}
