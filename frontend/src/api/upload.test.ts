// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { onRefusal } from "./client";
import { Problem, UNREACHABLE } from "./problem";
import { upload } from "./upload";

/** Replaces the browser's: the test decides what comes back. */
class FakeRequest {
  static latest: FakeRequest;
  upload: { onprogress?: (event: { loaded: number; total: number }) => void } = {};
  onload = () => {};
  onerror = () => {};
  onabort = () => {};
  onloadend = () => {};
  status = 0;
  responseText = "";
  sent: unknown;
  #type = "";

  constructor() {
    FakeRequest.latest = this;
  }
  open() {}
  setRequestHeader() {}
  getResponseHeader(name: string) {
    return name === "Content-Type" ? this.#type : null;
  }
  send(body: unknown) {
    this.sent = body;
  }
  abort() {
    this.onabort();
    this.onloadend();
  }
  answer(status: number, body: unknown) {
    this.status = status;
    this.#type = "application/problem+json";
    this.responseText = JSON.stringify(body);
    this.onload();
    this.onloadend();
  }
}

beforeEach(() => vi.stubGlobal("XMLHttpRequest", FakeRequest));
afterEach(() => vi.unstubAllGlobals());

const body = new Blob(["a document"]);
const start = (signal = new AbortController().signal, onProgress = (_sent: number, _total: number) => {}) => ({
  done: upload({ url: "/api/v1/drafts", body, signal, onProgress }),
  request: FakeRequest.latest,
});

it("sends the file, reports progress, and resolves with the answer", async () => {
  const progress = vi.fn();
  const { done, request } = start(new AbortController().signal, progress);
  expect(request.sent).toBe(body);
  request.upload.onprogress?.({ loaded: 4, total: 10 });
  request.answer(201, { id: "d1" });
  expect(await done).toEqual({ id: "d1" });
  expect(progress).toHaveBeenCalledWith(4, 10);
});

it("throws a refusal as a problem, and calls the listeners", async () => {
  const heard = vi.fn();
  const stop = onRefusal(heard);
  const { done, request } = start();
  request.answer(422, { status: 422, detail: "line 2, column 5: <$E> closes a span", line: 2, column: 5 });
  const problem = await done.catch((error: unknown) => error);
  stop();
  expect(problem).toBeInstanceOf(Problem);
  expect(problem).toMatchObject({ status: 422, extra: { line: 2, column: 5 } });
  expect(heard).toHaveBeenCalledOnce();
});

it("reports that the gateway cannot be reached", async () => {
  const { done, request } = start();
  request.onerror();
  await expect(done).rejects.toMatchObject({ status: UNREACHABLE });
});

it("is over when it is aborted, before or while it is sent", async () => {
  const cancelled = new AbortController();
  const { done } = start(cancelled.signal);
  cancelled.abort();
  await expect(done).rejects.toThrow(/abort/i);
  await expect(start(AbortSignal.abort()).done).rejects.toThrow(/abort/i);
});
