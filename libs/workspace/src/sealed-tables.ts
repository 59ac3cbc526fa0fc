import { renewedColumns, type SealedTable } from '@app/platform/resealing';
import { idempotentResponseCell } from './idempotent-requests.service.js';
import { secretCell } from './secrets.service.js';

const SECRETS: SealedTable = {
  name: 'secrets',
  columns: ['value'],
  holdsLookalikes: false,
  find: {
    name: 'workspace.find_sealed_secrets',
    text: `select jsonb_build_array(workspace_id, name) as key, xmin::text as revision, workspace_id as workspace, name as row,
        case when substr(value, 1, 5) <> $3 then jsonb_build_object('value', encode(value, 'base64')) end as values
      from secrets
      where (workspace_id, name) > (coalesce($1::jsonb ->> 0, ''), coalesce($1::jsonb ->> 1, ''))
      order by workspace_id, name limit $2`,
  },
  replace: {
    name: 'workspace.reseal_secrets',
    text: `with mine as (
        select s.workspace_id, s.name, f -> 'values' as fresh
        from jsonb_array_elements($1::jsonb) f
          join secrets s on s.workspace_id = f -> 'key' ->> 0 and s.name = f -> 'key' ->> 1
        where s.xmin::text = f ->> 'revision'
        for update of s skip locked
      )
      update secrets s set value = decode(m.fresh ->> 'value', 'base64')
      from mine m where s.workspace_id = m.workspace_id and s.name = m.name
      returning 1`,
  },
  renew: (found, renewal) => renewedColumns(found, renewal, () => secretCell(found.workspace, found.row)),
};

const IDEMPOTENCY_KEYS: SealedTable = {
  name: 'idempotency_keys',
  columns: ['response'],
  holdsLookalikes: false,
  find: {
    name: 'workspace.find_sealed_responses',
    text: `select jsonb_build_array(workspace_id, endpoint, key) as key, xmin::text as revision, workspace_id as workspace,
        endpoint || ' ' || key as row,
        case when substr(response, 1, 5) <> $3 then jsonb_build_object('response', encode(response, 'base64')) end as values
      from idempotency_keys
      where (workspace_id, endpoint, key)
        > (coalesce($1::jsonb ->> 0, ''), coalesce($1::jsonb ->> 1, ''), coalesce($1::jsonb ->> 2, ''))
      order by workspace_id, endpoint, key limit $2`,
  },
  replace: {
    name: 'workspace.reseal_responses',
    text: `with mine as (
        select k.workspace_id, k.endpoint, k.key, f -> 'values' as fresh
        from jsonb_array_elements($1::jsonb) f join idempotency_keys k
          on k.workspace_id = f -> 'key' ->> 0 and k.endpoint = f -> 'key' ->> 1 and k.key = f -> 'key' ->> 2
        where k.xmin::text = f ->> 'revision'
        for update of k skip locked
      )
      update idempotency_keys k set response = decode(m.fresh ->> 'response', 'base64')
      from mine m where k.workspace_id = m.workspace_id and k.endpoint = m.endpoint and k.key = m.key
      returning 1`,
  },
  renew: (found, renewal) => renewedColumns(found, renewal, () => idempotentResponseCell(found.workspace, found.row)),
};

/** What of this lib is sealed, for a change of the key. */
export const SEALED_WORKSPACE_TABLES: readonly SealedTable[] = [SECRETS, IDEMPOTENCY_KEYS];
