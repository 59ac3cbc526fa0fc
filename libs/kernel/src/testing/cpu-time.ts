/**
 * Processor time in milliseconds that `work` costs this process. Unlike elapsed time it is the same however busy the machine is,
 * so a limit on it tells work that grows out of hand from a slow minute.
 */
export function cpuMillisOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
