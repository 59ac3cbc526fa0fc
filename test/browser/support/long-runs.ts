import type { Service } from '../../support/stack.js';
import { addEndedRuns } from './ended-runs.js';

export const FAILED_STEP = 402;

const END_RUN = 'update runs set step_n = $2 where id = $1';
/** Inserts the steps of a loop. Each iteration reads an order and waits a minute. The first step is the trigger. */
const ADD_STEPS = `
  insert into run_steps (run_id, n, workspace_id, path, type, tool, scope, state, attempt, op, epoch,
    request, output, error, started_at, ended_at)
  select run.id, n, run.workspace_id, format('poll[%s].%s', (n - 2) / 2, case when call then 'read' else 'pause' end),
    case when call then 'tool_call' else 'wait' end,
    case when call then 'shop.order' end, case when call then 'read' end,
    case when n = $3 then 'failed' else 'succeeded' end, 1, gen_random_uuid(), 1,
    case when call then jsonb_build_object('id', n) end, case when call then jsonb_build_object('total', n) end,
    case when n = $3 then '{"code": "tool_error", "message": "No such order."}'::jsonb end,
    began, began + case when call then interval '1 second' else interval '1 minute' end
  from runs run, generate_series(2, $2) n,
    lateral (select n % 2 = 0 as call) kind,
    lateral (select run.created_at + (n - 2) / 2 * interval '61 seconds' + n % 2 * interval '1 second' as began) time
  where run.id = $1`;

/** Adds an ended run with `steps` steps, and returns its id. */
export async function addLongRun(stack: Service, agent: string, steps: number): Promise<string> {
  const [id = ''] = await addEndedRuns(stack, agent, 1);
  await stack.query(END_RUN, [id, steps]);
  await stack.query(ADD_STEPS, [id, steps, FAILED_STEP]);
  return id;
}
