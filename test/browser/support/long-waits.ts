import type { Service } from '../../support/stack.js';

const HOURS = "interval '14 hours'";
const SHIFTS = [
  `update runs set created_at = created_at - ${HOURS} where id = $1`,
  `update approvals set opened_at = opened_at - ${HOURS} where run_id = $1`,
  `update run_steps s set started_at = started_at - ${HOURS},
     ended_at = case when s.type = 'approval' then ended_at else ended_at - ${HOURS} end
     where run_id = $1 and n <= (select max(a.n) from run_steps a where a.run_id = $1 and a.type = 'approval')`,
];

/**
 * Makes the approval of a run seem to have waited overnight. Moves the times of everything before its decision 14 hours
 * into the past.
 */
export async function sleepOver(stack: Service, run: string): Promise<void> {
  for (const text of SHIFTS) await stack.query(text, [run]);
}
