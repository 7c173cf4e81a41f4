/** A copy without the members that are undefined or empty: what is not asked for has no place in an address. */
export function withoutEmpty<Asked extends object>(asked: Asked): { [Name in keyof Asked]?: NonNullable<Asked[Name]> } {
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined && value !== "")) as never;
}
