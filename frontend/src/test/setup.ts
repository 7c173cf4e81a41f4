import fc from "fast-check";
import { startEnglish } from "@/i18n/english";

declare const process: { readonly env: Readonly<Record<string, string | undefined>> };

// What lands must not hang on chance: the same examples each time where CI says so, others everywhere else.
if (process.env.CI) fc.configureGlobal({ seed: 20_261_121 });

// Texts are in English, whatever the system's language.
startEnglish();

if ("document" in globalThis) (await import("./page")).preparePages();
