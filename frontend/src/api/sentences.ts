/** Written by `make api` from the gateway's source (sieve/web/write_sentences.py). Do not edit. */
import { plural, t } from "@lingui/core/macro";

/** What the text of a sentence names. Texts of numbers and sentences are in the language of the page. */
type Texts<Name extends string> = Readonly<Record<Name, string>>;

/** The gateway's sentences by their codes. `count`: the number that decides between singular and plural. */
export const SENTENCES = {
  "leak-acronym": ({ origin, text }: Texts<"origin" | "text">) => t`“${text}” are the first letters of the marked “${origin}”`,
  "leak-elsewhere": ({ text }: Texts<"text">) => t`“${text}” is marked elsewhere, but not here`,
  "leak-few-answers": ({ answers, text }: Texts<"answers" | "text">) => t`“${text}” can be completed by guessing, since the marked text next to it is one of a few answers (${answers}); mark the sentence`,
  "leak-hidden": ({ hidden, text }: Texts<"hidden" | "text">) => t`“${text}” is ${hidden}: readers may not see it, but it would travel plain`,
  "leak-hidden-unread": ({ address, hidden }: Texts<"address" | "hidden">) => t`“${address}” is ${hidden} and has no text to check, but would travel plain`,
  "leak-irregular-row": ({ address, why }: Texts<"address" | "why">) => t`“${address}” ${why}: part of a classified column may be in another column there`,
  "leak-little-left": ({ text }: Texts<"text">) => t`“${text}” is part of the little plain text left; mark it, too, or the whole document`,
  "leak-many-earlier-places": () => t`Marked phrases occur in too many places of earlier transfers; only the first were checked`,
  "leak-many-places": () => t`Marked phrases occur in too many other places; only the first were checked`,
  "leak-many-versions": () => t`This draft was sent more often than the check covers; only the latest versions were compared`,
  "leak-misspelt": ({ origin, text }: Texts<"origin" | "text">) => t`“${text}” may be part of the marked “${origin}”, misspelt`,
  "leak-much-marked": () => t`There is too much marked text to search for; only the first part of it was searched for`,
  "leak-name": ({ text }: Texts<"text">) => t`The document's name, which travels plain, contains “${text}”`,
  "leak-name-part": ({ origin, text }: Texts<"origin" | "text">) => t`The document's name, which travels plain, contains “${text}”, from the marked “${origin}”`,
  "leak-no-table": ({ why }: Texts<"why">) => t`Rules for columns or rows could not check it: ${why}`,
  "leak-number": ({ origin, text }: Texts<"origin" | "text">) => t`“${text}” is a number from the marked “${origin}”, or derived from one`,
  "leak-other-spelling": ({ origin, text }: Texts<"origin" | "text">) => t`“${text}” is the marked “${origin}”, written in another way`,
  "leak-part": ({ origin, text }: Texts<"origin" | "text">) => t`“${text}” is part of the marked “${origin}”`,
  "leak-policy": ({ reason, text }: Texts<"reason" | "text">) => t`The policy would mark “${text}”${reason}`,
  "leak-policy-all": ({ address, reason }: Texts<"address" | "reason">) => t`The policy would mark all of “${address}”${reason}`,
  "leak-policy-name": ({ reason, text }: Texts<"reason" | "text">) => t`The document's name, which travels plain, contains “${text}”: The policy would mark it${reason}`,
  "leak-rest-of-word": ({ text }: Texts<"text">) => t`The mark covers only part of a word: the rest of it, “${text}”, hints at what is marked`,
  "leak-rule": ({ reason, rule, text }: Texts<"reason" | "rule" | "text">) => t`Rule ${rule} of the policy would mark “${text}”${reason}`,
  "leak-rule-all": ({ address, reason, rule }: Texts<"address" | "reason" | "rule">) => t`Rule ${rule} of the policy would mark all of “${address}”${reason}`,
  "leak-rule-name": ({ reason, rule, text }: Texts<"reason" | "rule" | "text">) => t`The document's name, which travels plain, contains “${text}”: Rule ${rule} of the policy would mark it${reason}`,
  "leak-sent-before": ({ text }: Texts<"text">) => t`“${text}” is marked now, but an earlier transfer of this document sent it plain`,
  "leak-short-answer": ({ text }: Texts<"text">) => t`“${text}” can be completed by guessing, since the marked text next to it is a single letter or a small number; mark the sentence`,
  "leak-too-large": ({ limit }: Texts<"limit">) => t`The document has more than ${limit} bytes, so it was not checked`,
  "leak-too-many": ({ limit }: Texts<"limit">) => t`There are more than ${limit} findings of one kind; these are the first`,
  "leak-unreadable": ({ why }: Texts<"why">) => t`The document could not be checked: ${why}`,
  "policy-too-many-hits": ({ limit, rule }: Texts<"limit" | "rule">) => t`there are more than ${limit} hits, the last of them from rule ${rule}; make the rule narrower, or its granularity coarser`,
  "policy-too-many-hits-in-text": ({ limit, rule }: Texts<"limit" | "rule">) => t`rule ${rule} hits more than ${limit} times in one piece of text; make it narrower`,
  "rule-without-column": ({ columns, reason, rule }: Texts<"columns" | "reason" | "rule">) => t`Rule ${rule} of the policy looks for a column called ${columns}, but this table has none, so it marks nothing there${reason}: check that the first row is the header, and the name of the column`,
  "rule-without-column-in-sheets": ({ columns, reason, rule, sheets }: Texts<"columns" | "reason" | "rule" | "sheets">, count: number) => plural(count, { one: `Rule ${rule} of the policy looks for a column called ${columns}, but the sheet ${sheets} has none, so it marks nothing there${reason}: check that the first row is the header, and the name of the column`, other: `Rule ${rule} of the policy looks for a column called ${columns}, but the sheets ${sheets} have none, so it marks nothing there${reason}: check that the first row is the header, and the name of the column` }),
};
