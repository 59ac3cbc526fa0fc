import { renewedColumns, type SealedTable } from '@app/platform/resealing';
import { endpointSecretCell, SECRET_COLUMNS } from './endpoint-secrets.js';

const WEBHOOK_ENDPOINTS: SealedTable = {
  name: 'webhook_endpoints',
  columns: SECRET_COLUMNS,
  holdsLookalikes: false,
  find: {
    name: 'webhooks.find_sealed_secrets',
    text: `select jsonb_build_array(id) as key, xmin::text as revision, workspace_id as workspace, id as row,
        case when substr(secret, 1, 5) <> $3 or substr(previous_secret, 1, 5) <> $3 then
          jsonb_build_object('secret', encode(secret, 'base64'), 'previous_secret', encode(previous_secret, 'base64'))
        end as values
      from webhook_endpoints where id > coalesce($1::jsonb ->> 0, '') order by id limit $2`,
  },
  replace: {
    name: 'webhooks.reseal_secrets',
    text: `with mine as (
        select e.id, f -> 'values' as fresh
        from jsonb_array_elements($1::jsonb) f join webhook_endpoints e on e.id = f -> 'key' ->> 0
        where e.xmin::text = f ->> 'revision'
        for update of e skip locked
      )
      update webhook_endpoints e set secret = coalesce(decode(m.fresh ->> 'secret', 'base64'), e.secret),
        previous_secret = coalesce(decode(m.fresh ->> 'previous_secret', 'base64'), e.previous_secret)
      from mine m where e.id = m.id
      returning 1`,
  },
  renew: (found, renewal) =>
    renewedColumns(found, renewal, (column) =>
      endpointSecretCell(
        { workspaceId: found.workspace, endpointId: found.row },
        column === 'secret' ? 'secret' : 'previous_secret',
      ),
    ),
};

/** What of this lib is sealed, for a change of the key. */
export const SEALED_WEBHOOK_TABLES: readonly SealedTable[] = [WEBHOOK_ENDPOINTS];
