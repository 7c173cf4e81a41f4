/** The error that `api/` throws: the gateway refused (RFC 9457), or it cannot be reached. */
import { t } from "@lingui/core/macro";
import { sentence } from "@/lib/prose";
import { isSaid, saidText } from "./sentence-text";

/** `Problem.status` when there was no answer. */
export const UNREACHABLE = 0;

/** Whether another try may succeed: the gateway does not answer, or a proxy answers in its place. */
export function isPassing(status: number): boolean {
  return status === UNREACHABLE || status === 502 || status === 503 || status === 504;
}

/**
 * `detail`: one sentence for people. `status`: the HTTP status, or `UNREACHABLE`. `extra`: its other members (`line`,
 * `column`, `revision`, `errors`, …). `retryAfterS`: how long the gateway asks to wait, in seconds.
 */
export class Problem extends Error {
  // not a text
  override readonly name = "Problem";
  readonly status: number;
  readonly detail: string;
  readonly extra: Readonly<Record<string, unknown>>;
  readonly retryAfterS: number | null;

  constructor(
    status: number,
    detail: string,
    extra: Readonly<Record<string, unknown>> = {},
    retryAfterS: number | null = null,
  ) {
    super(detail);
    this.status = status;
    this.detail = detail;
    this.extra = extra;
    this.retryAfterS = retryAfterS;
  }
}

/** The network or the gateway is down. */
export function unreachable(cause: unknown): Problem {
  const problem = new Problem(
    UNREACHABLE,
    t`Cannot reach the gateway. Check your network connection, and that the gateway is running.`,
  );
  problem.cause = cause;
  return problem;
}

/** The answer is incomplete: the gateway stopped sending, for example because a stored file is damaged. */
export function cutShort(cause: unknown): Problem {
  const problem = new Problem(
    UNREACHABLE,
    t`The gateway’s response was incomplete. If this happens again, a stored file may be damaged. Ask your admin to check the gateway’s log.`,
  );
  problem.cause = cause;
  return problem;
}

/** A refusal as a problem. If its body is something else, such as a proxy's page, only the status counts. */
export async function problemOf(response: Response): Promise<Problem> {
  const { title: _title, type: _type, status: _status, detail, said, ...extra } = await membersOf(response);
  const text = isSaid(said)
    ? sentence(saidText(said, said.text))
    : typeof detail === "string" && detail
      ? sentence(detail.replace(PARAMETER, ""))
      : textWithout(response.status);
  return new Problem(response.status, text, extra, secondsOf(response.headers.get("Retry-After")));
}

/** Turns any error into a problem that a page can show. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const problem = new Problem(
    500,
    t`Something went wrong on this page. Reload it. If this happens again, tell your admin.`,
  );
  problem.cause = error;
  return problem;
}

/** The name of a parameter in a request's address, which people do not see. */
const PARAMETER = /^query\.\w+: /;

async function membersOf(response: Response): Promise<Record<string, unknown>> {
  if (!response.headers.get("Content-Type")?.includes("json")) return {};
  try {
    const body: unknown = await response.json();
    return typeof body === "object" && body !== null ? { ...body } : {};
  } catch {
    return {};
  }
}

function textWithout(status: number): string {
  if (isPassing(status)) return t`The gateway is not responding. Try again in a moment.`;
  return t`The gateway refused the request with status ${status} and gave no reason.`;
}

function secondsOf(header: string | null): number | null {
  if (header === null) return null;
  const seconds = Number(header);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : null;
}
