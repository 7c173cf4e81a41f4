/** The one error that leaves `api/`: a refusal of the gateway (RFC 9457), or that it cannot be reached. */
import { sentence } from "@/lib/prose";

/** `Problem.status` when no answer came at all. */
export const UNREACHABLE = 0;

/** The gateway does not answer, or somebody in its place: that may pass by itself. */
export function isPassing(status: number): boolean {
  return status === UNREACHABLE || status === 502 || status === 503 || status === 504;
}

/**
 * `detail`: one sentence for people. `status`: the HTTP status, or `UNREACHABLE`. `extra`: what else the problem says
 * (`line`, `column`, `revision`, `errors`, …). `retryAfterS`: the seconds that the gateway asks to wait, if it does.
 */
export class Problem extends Error {
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

/** No answer came: the network, or the gateway, is down. */
export function unreachable(cause: unknown): Problem {
  const problem = new Problem(
    UNREACHABLE,
    "Cannot reach the gateway. Check your network connection, and that the gateway is running.",
  );
  problem.cause = cause;
  return problem;
}

/** An answer ended before it was whole: the gateway cut it, such as for a stored file that was changed on its disk. */
export function cutShort(cause: unknown): Problem {
  const problem = new Problem(
    UNREACHABLE,
    "The gateway’s response was incomplete. If this happens again, a stored file may be damaged. Ask your admin to check the gateway’s log.",
  );
  problem.cause = cause;
  return problem;
}

/** What a refusal says. A body that is no problem (a proxy's page, say) is not shown: only its status is. */
export async function problemOf(response: Response): Promise<Problem> {
  const { title: _title, type: _type, status: _status, detail, ...extra } = await membersOf(response);
  const text = typeof detail === "string" && detail ? sentence(detail) : saysNothing(response.status);
  return new Problem(response.status, text, extra, secondsOf(response.headers.get("Retry-After")));
}

/** Any thrown thing as a problem, so that a page can show it. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const problem = new Problem(
    500,
    "Something went wrong on this page. Reload it. If this happens again, tell your admin.",
  );
  problem.cause = error;
  return problem;
}

async function membersOf(response: Response): Promise<Record<string, unknown>> {
  if (!response.headers.get("Content-Type")?.includes("json")) return {};
  try {
    const body: unknown = await response.json();
    return typeof body === "object" && body !== null ? { ...body } : {};
  } catch {
    return {};
  }
}

function saysNothing(status: number): string {
  if (isPassing(status)) return "The gateway is not responding. Try again in a moment.";
  return `The gateway refused the request with status ${status} and gave no reason.`;
}

function secondsOf(header: string | null): number | null {
  if (header === null) return null;
  const seconds = Number(header);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : null;
}
