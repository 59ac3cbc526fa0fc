import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const SQL = join(import.meta.dirname, '../../libs/runs/src/sql');

/** A mutant of the state machine: a version with one mistake. In `file`, the text `instead` replaces `text`. */
export interface Mutant {
  mistake: string;
  file: string;
  text: string;
  instead: string;
  /** True if the mistake has an effect only on calls in batches. */
  isOfBatches?: true;
}

export const MUTANTS: readonly Mutant[] = [
  {
    mistake: 'advance does not check the attempt',
    file: 'advance.sql',
    text: `v.status <> 'running' or v.attempt <> c.attempt then`,
    instead: `v.status <> 'running' then`,
  },
  {
    mistake: 'advance does not check whether the workspace is stopped',
    file: 'advance.sql',
    text: `if v_stop.state <> 'active' then`,
    instead: `if false then`,
  },
  {
    mistake: 'advance checks for a repetition before it checks whether the workspace is stopped',
    file: 'advance.sql',
    text: `if v_stop.state <> 'active' then`,
    instead: `if v_stop.state <> 'active' and v.last_op is distinct from c.op then`,
  },
  {
    mistake: 'advance does not recognise a repetition',
    file: 'advance.sql',
    text: `  if v.last_op is distinct from c.op then\n    v_n`,
    instead: `  if true then\n    v_n`,
  },
  {
    mistake: 'advance applies results again when it is repeated',
    file: 'advance.sql',
    text: `c.results is not null and v.last_op is distinct from c.op then`,
    instead: `c.results is not null then`,
  },
  {
    mistake: 'a lost write may be repeated like a lost read',
    file: 'recover.sql',
    text: `state = case when s.effect = 'at_most_once' then 'in_doubt' else 'interrupted' end,
         ended_at = case when s.effect = 'at_most_once' then null else clock_timestamp() end`,
    instead: `state = 'interrupted', ended_at = clock_timestamp()`,
  },
  {
    mistake: 'a run is taken from a live worker',
    file: 'recover.sql',
    text: `k.lease_until > clock_timestamp()`,
    instead: `false`,
  },
  {
    mistake: 'a decision about a closed approval counts',
    file: 'may_decide.sql',
    text: `when p_approval.status <> 'open' then`,
    instead: `when false then`,
  },
  {
    mistake: 'an approval is given while the workspace is stopped',
    file: 'decide.sql',
    text: `elsif v_stop.state <> 'active' and p_decision not in ('reject', 'mark_failed') then`,
    instead: `elsif false then`,
  },
  {
    mistake: 'finish does not check the attempt',
    file: 'finish.sql',
    text: `v.status = 'running' and v.attempt = c.attempt then`,
    instead: `v.status = 'running' then`,
  },
  {
    mistake: 'a write in doubt is begun again without asking',
    file: 'record_intents.sql',
    text: `    if intent.gate is not null and step.state = 'in_doubt' then`,
    instead: `    if step.state = 'in_doubt' then
      update run_steps s set state = 'started', attempt = p_attempt, op = p_op where s.run_id = p_run and s.n = step.n;
    elsif false then`,
  },
  {
    mistake: 'cancel changes a run that has ended',
    file: 'cancel.sql',
    text: `elsif v.ended_at is not null then`,
    instead: `elsif false then`,
  },
  {
    mistake: 'a worker without a lease gets a run',
    file: 'claim.sql',
    text: `k.id = v_worker and k.lease_until > clock_timestamp())`,
    instead: `k.id = v_worker)`,
  },
  {
    mistake: 'an expired approval counts as approved',
    file: 'close_approval.sql',
    text: `'edit' then 'ready'`,
    instead: `'edit' then 'ready' when 'expire' then 'ready'`,
  },
  {
    mistake: 'the end of a run leaves its approval open',
    file: 'end_run.sql',
    text: `where a.run_id = v.id and a.status = 'open'`,
    instead: `where false`,
  },
  {
    mistake: 'a stop takes a run from a worker that has calls under way',
    file: 'suspend_when_idle.sql',
    text: `if not found then`,
    instead: `if true then`,
  },
  {
    mistake: 'a result is taken from a worker that did not make the call',
    file: 'record_results.sql',
    text: `s.attempt = p_attempt and s.state in ('started', 'in_doubt')`,
    instead: `s.attempt = p_attempt and s.state in ('started', 'in_doubt', 'interrupted')`,
  },
  {
    mistake: 'readers of changes do not find that a run was claimed',
    file: 'claim.sql',
    text: `wake_at = null, change_xid = run_machine.current_xid()\n   -- A condition`,
    instead: `wake_at = null\n   -- A condition`,
  },
  {
    mistake: 'readers of changes do not find that a run waits again',
    file: 'requeue.sql',
    text: `, change_xid = run_machine.current_xid()`,
    instead: ``,
  },
  {
    mistake: 'a batch advances a run of another attempt',
    file: 'advance.sql',
    text: `r.status = 'running' and r.attempt = c.attempt`,
    instead: `r.status = 'running'`,
    isOfBatches: true,
  },
  {
    mistake: 'a batch advances a run of a stopped workspace',
    file: 'advance.sql',
    text: `w.state = 'active' and r.status = 'running'`,
    instead: `r.status = 'running'`,
    isOfBatches: true,
  },
  {
    mistake: 'a batch does not recognise a repeated operation',
    file: 'advance.sql',
    text: `r.last_op is distinct from c.op and c.pause_ms is null`,
    instead: `c.pause_ms is null`,
    isOfBatches: true,
  },
  {
    mistake: 'a batch begins calls that need an approval',
    file: 'record_intents.sql',
    text: `exists(@.resumes) || exists(@.gate) || `,
    instead: `exists(@.resumes) || `,
    isOfBatches: true,
  },
  {
    mistake: 'a batch begins a resumed call as a new one',
    file: 'record_intents.sql',
    text: `exists(@.resumes) || exists(@.gate) || `,
    instead: `exists(@.gate) || `,
    isOfBatches: true,
  },
  {
    mistake: 'a batch ends a run of another attempt',
    file: 'finish.sql',
    text: `r.status = 'running' and r.attempt = c.attempt`,
    instead: `r.status = 'running'`,
    isOfBatches: true,
  },
  {
    mistake: 'a batch ends a run and leaves its open steps',
    file: 'end_run.sql',
    text: `where s.run_id = any (p_runs) and s.state in ('awaiting_approval', 'ready', 'waiting')`,
    instead: `where false`,
    isOfBatches: true,
  },
  {
    mistake: 'a batch records no event for the end of a run',
    file: 'end_run.sql',
    text: `perform events.emit_all('run.completed', v_workspaces, v_ids, v_events);`,
    instead: ``,
    isOfBatches: true,
  },
  {
    mistake: 'readers of changes do not find that a batch ended a run',
    file: 'end_run.sql',
    text: `           change_xid = run_machine.current_xid(),\n`,
    instead: ``,
    isOfBatches: true,
  },
  {
    mistake: 'a batch loses the outcome of a call in doubt',
    file: 'record_results.sql',
    text: `or s.state in ('waiting', 'in_doubt', 'ready'))`,
    instead: `or s.state = 'waiting')`,
    isOfBatches: true,
  },
  {
    mistake: 'a batch gives a run to a worker without a lease',
    file: 'claim.sql',
    text: `k.id = c.worker and k.lease_until > clock_timestamp())`,
    instead: `k.id = c.worker)`,
    isOfBatches: true,
  },
  {
    mistake: 'a batch claims a run of a stopped workspace',
    file: 'claim.sql',
    text: `       and exists (select from workspaces w where w.id = r.workspace_id and w.state = 'active')
       and exists (select from workers k where k.id = c.worker`,
    instead: `       and exists (select from workers k where k.id = c.worker`,
    isOfBatches: true,
  },
  {
    mistake: 'a batch claims a run that is not due',
    file: 'claim.sql',
    text: `where r.id = c.run and r.wake_at <= clock_timestamp()`,
    instead: `where r.id = c.run and r.wake_at is not null`,
    isOfBatches: true,
  },
];

/**
 * Returns the text of the file with the mistake of the mutant.
 *
 * @throws if the text to replace does not occur exactly once. In this case, update the mutant to the new code.
 */
export async function mutatedSql({ mistake, file, text, instead }: Mutant): Promise<string> {
  const sql = await readFile(join(SQL, file), 'utf8');
  const found = sql.split(text).length - 1;
  if (found !== 1) throw new Error(`${file} has ${found} places like that of the mutant "${mistake}": ${text}`);
  return sql.replace(text, () => instead);
}
