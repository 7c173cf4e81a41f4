/** A copy without undefined and empty members. */
export function withoutEmpty<Asked extends object>(asked: Asked): { [Name in keyof Asked]?: NonNullable<Asked[Name]> } {
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined && value !== "")) as never;
}
