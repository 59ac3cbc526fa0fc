import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { aas, type Run } from '../data/api.js';
import type { AnyStep } from './step-facts.js';

const PAGE = 200;
/**
 * Maximum number of steps that are read of one run. The steps are read with their requests, so reading all of them may
 * take too long.
 */
export const MAX_STEPS = 2_000;

/** Reads the steps of a run with all their fields. Reads them again when the run has ended. */
export function useSteps(id: string, run: Run | undefined): UseQueryResult<AnyStep[]> {
  return useQuery({
    queryKey: ['run', id, 'steps', run?.ended_at],
    queryFn: () => readSteps(id),
    enabled: run !== undefined,
    staleTime: run?.ended_at === null ? 5_000 : Infinity,
    placeholderData: (before) => before,
  });
}

async function readSteps(id: string): Promise<AnyStep[]> {
  const steps: AnyStep[] = [];
  let after: number | undefined = 0;
  while (after !== undefined && steps.length < MAX_STEPS) {
    const page: Awaited<ReturnType<typeof aas.runs.trace>> = await aas.runs.trace(id, { limit: PAGE, after_n: after });
    steps.push(...(page.steps as AnyStep[]));
    after = page.next_after_n;
  }
  return steps;
}
