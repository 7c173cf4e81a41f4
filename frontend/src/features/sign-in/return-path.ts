/** The path to go to after signing in. Invariant: it is on this site; any other address becomes the start page. */
export function returnPath(asked: string | undefined): string {
  if (!asked) return "/";
  let url: URL;
  try {
    url = new URL(asked, window.location.origin);
  } catch {
    return "/";
  }
  const path = `${url.pathname}${url.search}`;
  // "//elsewhere" and "/\elsewhere" begin with a slash, but lead to another site.
  if (url.origin !== window.location.origin || path.startsWith("//")) return "/";
  return path === "/sign-in" ||
    path.startsWith("/sign-in?") ||
    path.startsWith("/sign-in/") ||
    path.startsWith("/welcome")
    ? "/"
    : path;
}
