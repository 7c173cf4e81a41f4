/** What a policy finds in an open document. */
import { t } from "@lingui/core/macro";
import { type DraftHit, previewInDraft, previewInText } from "@/api/policies";
import { Problem } from "@/api/problem";
import type { TextSpan } from "@/marked-text/markup";
import type { AnySaver } from "../saving/saver";
import type { Surface, TextSurface, Tracker } from "./surface";

/** `text`, `before` and `after`: what the hit is, if the panel does not show it in its place. */
export type PolicyHit = Omit<DraftHit, "text" | "before" | "after"> &
  Partial<Pick<DraftHit, "text" | "before" | "after">>;

export interface PolicyFound<Place> {
  readonly hits: readonly PolicyHit[];
  /** There are hits beyond these. */
  readonly more: boolean;
  /** Sentences, each about a rule that could not search because the document lacks what it names. */
  readonly missing: readonly string[];
  /** Follows the document that was searched; it is ready. */
  readonly tracker: Tracker<Place>;
}

/** Searches for at most `limit` hits. */
export type PolicySearch<Place> = (policy: string, limit: number, signal: AbortSignal) => Promise<PolicyFound<Place>>;

type Answer = Omit<PolicyFound<never>, "tracker">;

async function tracked<Place>(surface: Surface<Place>, search: () => Promise<Answer>): Promise<PolicyFound<Place>> {
  const tracker = surface.track();
  try {
    const [found] = await Promise.all([search(), tracker.ready()]);
    return { ...found, tracker };
  } catch (error) {
    tracker.end();
    throw error;
  }
}

/** Sends the text as it is in the editor, saved or not. */
export function searchUnsaved(surface: TextSurface): PolicySearch<TextSpan> {
  return (policy, limit, signal) =>
    tracked(surface, async () => {
      const text = surface.text();
      const { hits, more } = await previewInText(policy, text.slice(0, text.length), { limit, signal });
      return { hits: hits.map((hit) => ({ ...hit, address: "text" })), more, missing: [] };
    });
}

/** Has the gateway search the latest save. */
export function searchSaved<Place>(id: string, surface: Surface<Place>, saver: AnySaver): PolicySearch<Place> {
  return async (policy, limit, signal) => {
    const { phase, revision } = await saver.flush();
    if (phase.is !== "saved")
      throw new Problem(0, t`Only saved changes can be searched, and the latest could not be saved.`);
    return tracked(surface, async () => {
      const found = await previewInDraft(id, policy, limit, signal);
      if (found.revision !== revision)
        throw new Problem(0, t`The document was saved elsewhere during the search. Search again.`);
      return found;
    });
  };
}

/** Has the gateway search a file, whose text never changes. */
export function searchFile<Place>(id: string, surface: Surface<Place>): PolicySearch<Place> {
  return (policy, limit, signal) => tracked(surface, () => previewInDraft(id, policy, limit, signal));
}
