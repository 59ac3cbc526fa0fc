-- Makes a parent run due if its child run ended while the parent was locked. If a run has ended, cancels its child
-- runs, because their results are no longer needed. Handles at most p_limit parents and p_limit child runs. Returns the
-- number of cancelled child runs. The next call may be needed to cancel the child runs of a cancelled child run.
create or replace function run_machine.sweep_child_runs(p_limit integer) returns integer
language plpgsql volatile as $$
declare
  v runs%rowtype;
  v_child text;
  v_cancelled integer := 0;
begin
  update child_runs c set state = 'told'
   where c.run_id in (select e.run_id from child_runs e join runs p on p.id = e.parent_run_id
                       where e.state = 'ended' and p.ended_at is not null order by e.run_id limit p_limit);
  perform run_machine.bring_parent_forward(e.run_id)
     from (select c.run_id from child_runs c where c.state = 'ended' order by c.run_id limit p_limit) e;
  for v_child in
    select c.run_id from child_runs c join runs p on p.id = c.parent_run_id
     where c.state = 'open' and p.ended_at is not null order by c.run_id limit p_limit
  loop
    select * into v from runs r where r.id = v_child and r.ended_at is null for no key update skip locked;
    continue when not found;
    perform run_machine.end_cancelled(v, 'The run that started this run has ended.', 'system');
    v_cancelled := v_cancelled + 1;
  end loop;
  return v_cancelled;
end $$;
