import type { QueryRunner } from 'typeorm';

/**
 * The NOLOGIN role `<database>_tenant` sees and writes only the rows of the workspace in `app.workspace_id`. The policy
 * `all_roles` admits every role, and the policy `tenant` restricts the tenant role. Each table is changed in its own
 * transaction, so that the statement never locks two tables at once. Changes nothing if the database user can neither
 * create the role nor use an existing one.
 */
const INSTALL = `do $policies$
declare
  v_role name;
  v_table record;
  v_schema name;
begin
  select r.rolname into v_role from pg_policy p join pg_roles r on r.oid = p.polroles[1] where p.polname = 'tenant' limit 1;
  v_role := coalesce(v_role, left(current_database(), 56) || '_tenant');
  if not exists (select from pg_roles where rolname = v_role) then
    if not (select rolcreaterole or rolsuper from pg_roles where rolname = current_user) then return; end if;
    execute format('create role %I nologin', v_role);
  end if;
  begin
    execute format('grant %I to current_user', v_role);
  exception when insufficient_privilege then
    if not pg_has_role(current_user, v_role, 'member') then return; end if;
  end;
  for v_schema in select n.nspname from pg_namespace n where n.nspname !~ '^(pg_|information_schema$)' loop
    execute format('grant usage on schema %I to %I', v_schema, v_role);
  end loop;
  for v_table in
    select c.relname as name, a.attname as workspace
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and a.attname = case when c.relname = 'workspaces' then 'id' else 'workspace_id' end
      and not exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'tenant')
    order by 1
  loop
    execute format('grant select, insert, update, delete on public.%I to %I', v_table.name, v_role);
    execute format('create policy all_roles on public.%I using (true) with check (true)', v_table.name);
    execute format('create policy tenant on public.%1$I as restrictive to %2$I
        using (%3$I = current_setting(''app.workspace_id'', true))
        with check (%3$I = current_setting(''app.workspace_id'', true))', v_table.name, v_role, v_table.workspace);
    execute format('alter table public.%I enable row level security', v_table.name);
    commit;
  end loop;
end
$policies$`;

/** Must be called outside of a transaction, by the owner of the tables. */
export async function installTenantPolicies(queryRunner: QueryRunner): Promise<void> {
  await queryRunner.query(INSTALL);
}

/**
 * `workspaces` is the last table that receives the policies, so if `workspaces` has the policies, all tables have them.
 */
export const FIND_TENANT_ROLE = `select r.rolname as role from pg_policy p join pg_roles r on r.oid = p.polroles[1]
  where p.polname = 'tenant' and p.polrelid = to_regclass('public.workspaces') and pg_has_role(current_user, r.oid, 'member')`;
