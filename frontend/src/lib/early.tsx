import { type ComponentType, lazy, useState } from "react";

/** A component whose code comes separately; `load` has it come before it is wanted. */
export type Early<Props> = ComponentType<Props> & { readonly load: () => Promise<void> };

/**
 * As `lazy`, but shown at once if the code is there by then. What `lazy` loads is always waited for once more, and React
 * holds back what follows a fallback for 300 ms: a document would be seen that much later.
 */
export function early<Props extends object>(load: () => Promise<ComponentType<Props>>): Early<Props> {
  let There: ComponentType<Props> | null = null;
  const loaded = async () => {
    There = await load();
    return { default: There };
  };
  const Awaited = lazy(loaded);
  const Component = (props: Props) => {
    // For as long as it is shown: another element would begin anew.
    const [Shown] = useState<ComponentType<Props>>(() => There ?? Awaited);
    return <Shown {...props} />;
  };
  return Object.assign(Component, {
    load: () =>
      loaded().then(
        () => undefined,
        // It is asked for again when it is shown, and the page says what is wrong.
        () => undefined,
      ),
  });
}
