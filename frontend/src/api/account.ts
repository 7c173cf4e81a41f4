/** My own account. */
import { api } from "./client";

/** Ends every other sign-in and all API tokens. Throws a `Problem` if `current` is wrong or the new password breaks a rule. */
export async function changePassword(current: string, next: string): Promise<void> {
  await api.PUT("/api/v1/me/password", { body: { current, new: next } });
}
