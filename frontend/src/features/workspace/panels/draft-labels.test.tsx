/** The labels of an open text, by a gateway that keeps them by the order of the spans. */
import { QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import type { LabelsAsked } from "@/api/labels";
import type { DraftShown } from "@/api/types";
import { newQueryClient } from "@/app/query-client";
import { Announcer } from "@/components/announce";
import { fakeGateway, json, refused } from "@/test/fake-gateway";
import { Saver } from "../saving/saver";
import { SaverProvider } from "../saving/saver-context";
import { useDraftLabels } from "./draft-labels";
import type { Label } from "./labels-after-edit";

const SET = {
  ...{ name: "s", default: "LOW" },
  labels: ["LOW", "MIDDLE", "SECRET"].map((name, rank) => ({ name, rank, banner: name, colour: null })),
};

interface Change {
  /** By the number of the span. */
  readonly spans: ReadonlyMap<number, Label>;
  readonly raises?: boolean;
}

const to = (...spans: [number, Label][]): Change => ({ spans: new Map(spans) });

/** A text of spans only. Of the gateway's rule: the same text keeps its label. */
async function opened(spans: readonly (readonly [text: string, label: Label])[]) {
  const there = { revision: 1, labels: spans.map(([, label]) => label), away: false, refuses: 0 };
  let texts: readonly string[] = spans.map(([text]) => text);
  let saved = texts;
  const shown = () => ({
    ...there,
    floor: "SECRET",
    banner: "SECRET",
    banner_text: "SECRET",
    compilation_reason: null,
  });
  const { asked } = fakeGateway({
    "GET /api/v1/labels": json(SET),
    "GET /api/v1/drafts/d/labels": () => (there.away ? refused(500, "it is damaged") : json(shown())),
    "PUT /api/v1/drafts/d/labels": ({ body }) => {
      const { labels, lowering_reason }: LabelsAsked = JSON.parse(body);
      if (lowering_reason === null && there.refuses-- > 0) return refused(409, "it falls", { kind: "lowering" });
      there.labels = [...(labels ?? there.labels)];
      return json(shown());
    },
  });
  const row = () => ({ id: "d", revision: there.revision, name: "d.txt" }) as DraftShown;
  const saver = new Saver(
    { draft: row(), content: texts.join() },
    {
      content: () => texts.join(),
      equals: (one, other) => one === other,
      size: ({ length }) => length,
      save: async () => {
        const had = new Map(saved.map((text, index) => [text, there.labels[index] ?? null]));
        saved = texts;
        there.revision++;
        there.labels = texts.map((text) => had.get(text) ?? null);
        return row();
      },
      rename: async () => row(),
      load: async () => ({ draft: row(), content: texts.join() }),
      take: () => {},
      isOwner: async () => true,
      onDraft: () => {},
      onNameRefused: () => {},
    },
  );
  saver.start();
  const ended: Change[] = [];
  const client = newQueryClient();
  client.setDefaultOptions({ queries: { retry: false } });
  const { result } = renderHook(
    () =>
      useDraftLabels<Change>("d", {
        spans: () => {
          const now = texts;
          return { count: now.length, texts: () => now };
        },
        show: () => {},
        chosen: ({ spans }) => spans,
        end: (change) => void ended.push(change),
      }),
    {
      wrapper: ({ children }) => (
        <QueryClientProvider client={client}>
          <Announcer />
          <SaverProvider value={saver}>{children}</SaverProvider>
        </QueryClientProvider>
      ),
    },
  );
  const labels = () => {
    if (!result.current) throw new Error("there are labels");
    return result.current;
  };
  const settled = () => waitFor(() => expect(client.isFetching() + client.isMutating()).toBe(0));
  await waitFor(() => expect(labels().draft).not.toBe(null));
  return {
    there,
    ended,
    labels,
    puts: () => asked.filter(({ method }) => method === "PUT").map(({ body }): LabelsAsked => JSON.parse(body)),
    /** Not saved yet. */
    type: (...now: string[]) => {
      texts = now;
      act(() => saver.edited());
    },
    save: async () => {
      await act(async () => void (await saver.flush()));
      await settled();
    },
    change: async (...changes: Change[]) => {
      act(() => {
        for (const change of changes) labels().change(change);
      });
      await settled();
    },
    lower: async (why: string) => {
      act(() => void labels().lower(why));
      await settled();
    },
    said: () => [...document.querySelectorAll("[aria-live=polite] p")].map(({ textContent }) => textContent),
  };
}

test("what was cut and saved has its label where that is undone, whatever was labelled in between", async () => {
  const { labels, change, type, save } = await opened([
    ["one", "SECRET"],
    ["two", null],
  ]);
  type("two");
  await save();
  await change(to([0, "MIDDLE"]));
  type("one", "two");
  expect(labels().asked()?.labels).toEqual(["SECRET", "MIDDLE"]);
});

test("what was lowered stays so, also where it was cut since and is back", async () => {
  const { labels, change, type, save } = await opened([
    ["one", "SECRET"],
    ["two", "SECRET"],
  ]);
  await change(to([0, "MIDDLE"]));
  type("two");
  await save();
  await change(to([0, null]));
  type("one", "two");
  expect(labels().asked()?.labels).toEqual(["MIDDLE", null]);
});

test("they are known, and the banner stays, where those of the latest save could not be loaded", async () => {
  const { there, labels, type, save } = await opened([
    ["one", "SECRET"],
    ["two", null],
  ]);
  there.away = true;
  type("one", "two", "three");
  await save();
  expect(labels().draft?.banner).toBe("SECRET");
  expect(labels().asked()?.labels).toEqual(["SECRET", null, null]);
});

test("each lowering is asked about, one after the other, whatever else is labelled meanwhile", async () => {
  const { there, ended, labels, change, lower, puts } = await opened([
    ["one", "SECRET"],
    ["two", "SECRET"],
    ["three", null],
  ]);
  there.refuses = 2;
  const [first, second, third] = [to([0, null]), to([1, null]), to([2, "MIDDLE"])];
  await change(first, second, third);
  expect(ended).toEqual([third]);
  expect(labels().lowering).toBe(first);
  await lower("It is known");
  expect(labels().lowering).toBe(second);
  act(() => labels().giveUp());
  expect(labels().lowering).toBe(null);
  expect(ended).toEqual([third, first, second]);
  expect(puts().at(-1)).toMatchObject({ labels: [null, "SECRET", "MIDDLE"], lowering_reason: "It is known" });
});

test("said is what became of them, by label, and nothing where nothing did", async () => {
  const { change, said } = await opened([
    ["one", "SECRET"],
    ["two", null],
    ["three", null],
  ]);
  await change({ ...to([0, "MIDDLE"]), raises: true });
  await change(to());
  expect(said()).toEqual([]);
  await change({ ...to([0, "MIDDLE"], [1, "MIDDLE"], [2, "SECRET"]), raises: true });
  expect(said()).toEqual(["1 span: MIDDLE; 1 span: SECRET"]);
  await change(to([0, null], [1, null]));
  expect(said().at(-1)).toBe("2 spans: LOW");
});
