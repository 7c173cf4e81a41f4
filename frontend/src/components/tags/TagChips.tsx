const MOST_TAGS = 2;

/** The tags of a row: the first ones, and how many more there are. */
export function TagChips({ tags }: { tags: readonly string[] }) {
  const [shown, more] = [tags.slice(0, MOST_TAGS), tags.slice(MOST_TAGS)];
  return (
    <>
      {shown.map((tag) => (
        <span key={tag} dir="auto" title={tag} className="max-w-28 truncate rounded-sm bg-ink/8 px-1.5 py-0.5">
          {tag}
        </span>
      ))}
      {more.length > 0 && (
        <span title={more.join(", ")} className="shrink-0 text-quiet">
          +{more.length}
        </span>
      )}
    </>
  );
}
