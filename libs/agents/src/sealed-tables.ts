import { renewedColumns, type SealedTable } from '@app/platform/resealing';
import { webhookSecretCell } from './issued-webhook-secret.js';

const AGENTS: SealedTable = {
  name: 'agents',
  columns: ['webhook_secret', 'previous_webhook_secret'],
  holdsLookalikes: false,
  find: {
    name: 'agents.find_sealed_secrets',
    text: `select jsonb_build_array(id) as key, xmin::text as revision, workspace_id as workspace, id as row,
        case when substr(webhook_secret, 1, 5) <> $3 or substr(previous_webhook_secret, 1, 5) <> $3 then
          jsonb_build_object('webhook_secret', encode(webhook_secret, 'base64'),
            'previous_webhook_secret', encode(previous_webhook_secret, 'base64')) end as values
      from agents where id > coalesce($1::jsonb ->> 0, '') order by id limit $2`,
  },
  replace: {
    name: 'agents.reseal_secrets',
    text: `with mine as (
        select a.id, f -> 'values' as fresh
        from jsonb_array_elements($1::jsonb) f join agents a on a.id = f -> 'key' ->> 0
        where a.xmin::text = f ->> 'revision'
        for update of a skip locked
      )
      update agents a set webhook_secret = coalesce(decode(m.fresh ->> 'webhook_secret', 'base64'), a.webhook_secret),
        previous_webhook_secret = coalesce(decode(m.fresh ->> 'previous_webhook_secret', 'base64'), a.previous_webhook_secret)
      from mine m where a.id = m.id
      returning 1`,
  },
  renew: (found, renewal) => renewedColumns(found, renewal, () => webhookSecretCell(found.workspace, found.row)),
};

/** What of this lib is sealed, for a change of the key. */
export const SEALED_AGENT_TABLES: readonly SealedTable[] = [AGENTS];
