/**
 * Returns the seeds of the mutated conversations of a test: all of them in `npm run test:faults:full`, and otherwise
 * the first quarter, because each conversation takes a process of its own.
 */
export function mutationSeeds(all: number): number[] {
  const count = process.env.FAULT_TIER === 'full' ? all : Math.ceil(all / 4);
  return Array.from({ length: count }, (_, n) => n + 1);
}
