/** The quick experiments of the laboratory, for admins. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "./client";
import type { components } from "./schema";

type Shown = components["schemas"];

export type LaboratoryShown = Shown["LaboratoryShown"];
export type Experiment = Shown["ExperimentShown"];
export type BatchingFound = Shown["BatchingFound"];
export type BatchRsaFound = Shown["BatchRsaFound"];
export type TlsSplitFound = Shown["TlsSplitFound"];

const POLL_MS = 2000;

export const laboratoryQuery = queryOptions({
  queryKey: ["laboratory"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/v1/laboratory", { signal })),
  refetchInterval: ({ state }) => (state.data?.experiments.some(isRunning) ? POLL_MS : false),
});

export function isRunning({ state }: Experiment): boolean {
  return state === "running";
}

/** Throws a `Problem`: 409 while another one is running. */
export function runExperiment(name: Experiment["name"]): Promise<LaboratoryShown> {
  return dataOf(api.POST("/api/v1/laboratory/{name}/run", { params: { path: { name } } }));
}

export function stopExperiment(): Promise<LaboratoryShown> {
  return dataOf(api.POST("/api/v1/laboratory/stop"));
}
