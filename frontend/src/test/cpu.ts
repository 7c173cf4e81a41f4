declare const process: {
  /** Of all its threads, in microseconds; since `before`, if that is given. */
  cpuUsage(before?: CpuUsage): CpuUsage;
};

interface CpuUsage {
  readonly user: number;
  readonly system: number;
}

/** Milliseconds of processor time that `work` takes, however much else the machine has to do. */
export function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
