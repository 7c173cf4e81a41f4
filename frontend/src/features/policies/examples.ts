/** The example policies of the documentation. */
import { t } from "@lingui/core/macro";

import type { PolicyWritten } from "@/api/policies";
import cui from "../../../../docs/policies/cui.toml?raw";
import nato from "../../../../docs/policies/nato.toml?raw";
import personalData from "../../../../docs/policies/personal-data.toml?raw";
import uk from "../../../../docs/policies/uk.toml?raw";
import { readPolicy } from "./toml";

interface Example {
  readonly policy: PolicyWritten;
  /** What it marks, in a sentence. */
  readonly about: string;
}

function example(file: string, title: string, about: string): Example {
  const policy = readPolicy(file);
  return { policy: { ...policy, title: policy.title || title }, about };
}

export const EXAMPLES: readonly Example[] = [
  example(personalData, t`Personal data`, t`Email addresses, phone and account numbers, dates of birth, coordinates.`),
  example(cui, t`US Controlled Unclassified Information`, t`Paragraphs with a CUI portion mark or banner.`),
  example(nato, t`NATO classifications`, t`Paragraphs with a NATO classification, and coordinates.`),
  example(uk, t`UK Government Security Classifications`, t`Paragraphs with a classification or handling instruction.`),
];
