/** The path to go to after signing in: one of this site, or the start. Nothing else that stands in a link is followed. */
export function returnPath(asked: string | undefined): string {
  if (!asked) return "/";
  let url: URL;
  try {
    url = new URL(asked, window.location.origin);
  } catch {
    return "/";
  }
  const path = `${url.pathname}${url.search}`;
  // "//elsewhere" and "/\elsewhere" begin with a slash, too; as a path they would lead away.
  if (url.origin !== window.location.origin || path.startsWith("//")) return "/";
  return path === "/sign-in" || path.startsWith("/sign-in?") || path.startsWith("/welcome") ? "/" : path;
}
