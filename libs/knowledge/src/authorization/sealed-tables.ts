import { renewedColumns, type SealedTable } from '@app/platform/resealing';
import { verifierCell } from './pending-authorizations.service.js';
import { tokensCell } from './source-tokens.service.js';

const SOURCE_TOKENS: SealedTable = {
  name: 'knowledge_source_tokens',
  columns: ['tokens'],
  holdsLookalikes: false,
  find: {
    name: 'knowledge.find_sealed_tokens',
    text: `select jsonb_build_array(source_id) as key, xmin::text as revision, workspace_id as workspace, source_id as row,
        case when substr(tokens, 1, 5) <> $3 then jsonb_build_object('tokens', encode(tokens, 'base64')) end as values
      from knowledge_source_tokens where source_id > coalesce($1::jsonb ->> 0, '') order by source_id limit $2`,
  },
  replace: {
    name: 'knowledge.reseal_tokens',
    text: `with mine as (
        select t.source_id, f -> 'values' as fresh
        from jsonb_array_elements($1::jsonb) f join knowledge_source_tokens t on t.source_id = f -> 'key' ->> 0
        where t.xmin::text = f ->> 'revision'
        for update of t skip locked
      )
      update knowledge_source_tokens t set tokens = decode(m.fresh ->> 'tokens', 'base64')
      from mine m where t.source_id = m.source_id
      returning 1`,
  },
  renew: (found, renewal) =>
    renewedColumns(found, renewal, () => tokensCell({ workspaceId: found.workspace, sourceId: found.row })),
};

const AUTHORIZATIONS: SealedTable = {
  name: 'knowledge_authorizations',
  columns: ['verifier'],
  holdsLookalikes: false,
  find: {
    name: 'knowledge.find_sealed_verifiers',
    text: `select jsonb_build_array(state_hash) as key, xmin::text as revision, workspace_id as workspace, state_hash as row,
        case when substr(verifier, 1, 5) <> $3 then jsonb_build_object('verifier', encode(verifier, 'base64')) end as values
      from knowledge_authorizations where state_hash > coalesce($1::jsonb ->> 0, '') order by state_hash limit $2`,
  },
  replace: {
    name: 'knowledge.reseal_verifiers',
    text: `with mine as (
        select a.state_hash, f -> 'values' as fresh
        from jsonb_array_elements($1::jsonb) f join knowledge_authorizations a on a.state_hash = f -> 'key' ->> 0
        where a.xmin::text = f ->> 'revision'
        for update of a skip locked
      )
      update knowledge_authorizations a set verifier = decode(m.fresh ->> 'verifier', 'base64')
      from mine m where a.state_hash = m.state_hash
      returning 1`,
  },
  renew: (found, renewal) => renewedColumns(found, renewal, () => verifierCell(found.workspace, found.row)),
};

/** What of this lib is sealed, for a change of the key. */
export const SEALED_KNOWLEDGE_TABLES: readonly SealedTable[] = [SOURCE_TOKENS, AUTHORIZATIONS];
