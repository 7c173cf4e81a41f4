import type { Messages } from "@lingui/core";

const catalogues = import.meta.glob<Messages>("../**/locales/fr.po", { eager: true, import: "messages" });

/** The French of every part of the interface. */
export const messages: Messages = Object.assign({}, ...Object.values(catalogues));
