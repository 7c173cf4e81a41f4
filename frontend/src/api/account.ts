/** My own account. */
import { api } from "./client";

/** Throws a `Problem` when `current` is wrong or the new one breaks a rule. Every other sign-in of mine ends. */
export async function changePassword(current: string, next: string): Promise<void> {
  await api.PUT("/api/v1/me/password", { body: { current, new: next } });
}
