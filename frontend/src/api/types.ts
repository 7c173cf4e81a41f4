/** Short names for the API's types. */

import type { components } from "./schema";
import type { Said } from "./sentence-text";

type Schemas = components["schemas"];

export type SessionShown = Schemas["SessionShown"];
export type PersonShown = Schemas["PersonShown"];
export type DraftShown = Schemas["DraftShown"];
export type DocumentShown = Schemas["DocumentShown"];
export type VersionShown = Schemas["VersionShown"];
export type TransferShown = Schemas["TransferShown"];
export type PlanEstimate = Schemas["PlanEstimate"];
export type TransferWhole = Schemas["TransferWhole"];
export type AttemptShown = Schemas["AttemptShown"];
export type EntryShown = Schemas["EntryShown"];
export type EntryWhole = Schemas["EntryWhole"];
export type PeerShown = Schemas["PeerShown"];
export type RecipientShown = Schemas["RecipientShown"];
export type TokenShown = Schemas["TokenShown"];
export type TokenMade = Schemas["TokenMade"];
export type OpenSession = Schemas["OpenSession"];
export type VerificationShown = Schemas["VerificationShown"];
export type SettingShown = Schemas["SettingShown"];
export type LinkMade = Schemas["LinkMade"];

export type Role = "author" | "recipient" | "admin";

/** The progress of a transfer, from the event `transfer`: bytes of each channel, 0 between attempts. */
export interface ProgressShown {
  transfer_id: string;
  state: TransferState;
  secure_sent: number;
  secure_total: number;
  plain_sent: number;
  plain_total: number;
  verified: boolean;
  reason: string | null;
  said: Said | null;
  next_try_at: string | null;
  /** Each channel; empty between attempts. */
  channels: readonly ChannelShown[];
}

export interface ChannelShown {
  readonly kind: "secure" | "plain";
  readonly number: number;
  readonly sent: number;
  readonly total: number;
}

export type TransferState = "queued" | "sending" | "delivered" | "failed" | "cancelled";
