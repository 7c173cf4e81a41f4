import { i18n } from "@lingui/core";
import { TransNoContext, type TransProps } from "@lingui/react/server";

const lingui = { i18n, _: i18n._.bind(i18n) };

/** A sentence with elements inside. The macro `Trans` becomes this; it needs no provider. */
export function Trans(props: TransProps) {
  return <TransNoContext {...props} lingui={lingui} />;
}
