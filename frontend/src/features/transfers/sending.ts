import { early } from "@/lib/early";

/** Wherever something is sent; its code comes when that is first wanted. */
export const SendDialog = early(async () => (await import("./SendDialog")).SendDialog);
