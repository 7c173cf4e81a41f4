import { type CatalogType, defineConfig } from "@lingui/conf";
import { formatter } from "@lingui/format-po";
import { createSwcExtractor } from "@lingui/native-tools";
import { frenchTypography } from "./src/i18n/french-typography";

const po = formatter({ origins: false });

/** Folders with a catalogue each, besides the features, so that changes to different parts of the interface do not conflict. */
const SHARED = ["api", "app", "components", "i18n", "lib", "marked-text", "session"];

export default defineConfig({
  // English is in the source.
  sourceLocale: "en",
  locales: ["fr"],
  catalogs: [...SHARED.map((name) => catalogue(`src/${name}`)), catalogue("src/features/{name}")],
  extractors: [createSwcExtractor()],
  format: {
    ...po,
    serialize: async (catalogue, context) => withoutDate(await po.serialize(typeset(catalogue), context)),
  },
  // The language never changes while a page lives: no provider is needed.
  runtimeConfigModule: { Trans: ["@/i18n/Trans", "Trans"] },
});

function catalogue(folder: string) {
  return {
    path: `<rootDir>/${folder}/locales/{locale}`,
    include: [`<rootDir>/${folder}/`],
    exclude: ["**/*.test.ts", "**/*.test.tsx", "**/*.fixture.ts", "**/schema.d.ts"],
  };
}

function typeset(catalogue: CatalogType): CatalogType {
  const typesetMessage = (message: CatalogType[string]) =>
    message.translation ? { ...message, translation: frenchTypography(message.translation) } : message;
  return Object.fromEntries(Object.entries(catalogue).map(([id, message]) => [id, typesetMessage(message)]));
}

/** A date would be a conflict in each merge. */
function withoutDate(file: string): string {
  return file.replace(/^"POT-Creation-Date:.*\n/m, "");
}
