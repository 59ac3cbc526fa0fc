import type { Statements } from '@app/platform/database';
import { INVARIANTS } from './invariants.js';

export interface Violation {
  /** Name of the invariant, for example `I1`. */
  invariant: string;
  statement: string;
  count: number;
  examples: string[];
}

export interface CheckSettings {
  /** Number of runs to check, newest first. It limits the cost of the check. Default: all runs. */
  youngestRuns?: number;
  /**
   * Grace time in seconds. Workers normally correct some states: a running run without a live worker, a run that stays
   * suspended after a resume, and a tool call that continues after the end of its run. Such a state breaks an invariant
   * only if it lasts longer than the grace time. Default: 20.
   */
  graceSeconds?: number;
}

const EXAMPLES = 5;
const BEFORE_ALL = '';

const CHECKS = INVARIANTS.map(({ name, statement, sql }) => ({
  name,
  statement,
  query: {
    name: `invariant_${name}`,
    text: `select count(*)::float8 as count, coalesce((array_agg(id))[1:${EXAMPLES}], '{}') as examples
      from (${sql}) broken where $2::float8 is not null`,
  },
}));

const YOUNGEST = {
  name: 'invariant_youngest_runs',
  text: 'select id from runs order by id desc offset $1 limit 1',
};

/** Returns every broken invariant. The result is empty unless the service has a defect. Changes no data. */
export async function checkInvariants(
  statements: Pick<Statements, 'query'>,
  { youngestRuns, graceSeconds = 20 }: CheckSettings = {},
): Promise<Violation[]> {
  const lowest = youngestRuns === undefined ? BEFORE_ALL : await idOfYoungest(statements, youngestRuns);
  const violations: Violation[] = [];
  for (const { name, statement, query } of CHECKS) {
    const [row] = await statements.query<{ count: number; examples: string[] }>(query, [lowest, graceSeconds]);
    if (row!.count > 0) violations.push({ invariant: name, statement, ...row! });
  }
  return violations;
}

async function idOfYoungest(statements: Pick<Statements, 'query'>, howMany: number): Promise<string> {
  const [row] = await statements.query<{ id: string }>(YOUNGEST, [howMany - 1]);
  return row?.id ?? BEFORE_ALL;
}
