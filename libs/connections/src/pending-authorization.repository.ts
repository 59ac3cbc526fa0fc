import { type Statement, Statements, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import type { ConnectionPlace } from './connection.entity.js';
import type { PendingAuthorizationEntity } from './pending-authorization.entity.js';

export type NewAuthorization = Omit<PendingAuthorizationEntity, 'createdAt' | 'expiresAt'>;

const COLUMNS = `state_hash as "stateHash", workspace_id as "workspaceId", knowledge_base_id as "knowledgeBaseId", source_id as "sourceId",
  connection_id as "connectionId",
  connector, settings, verifier, requested_by as "requestedBy", created_at as "createdAt", expires_at as "expiresAt"`;

const INSERT = `insert into knowledge_authorizations (state_hash, workspace_id, knowledge_base_id, source_id, connection_id, connector,
    settings, verifier, requested_by, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, clock_timestamp() + $10 * interval '1 minute') returning expires_at as "expiresAt"`;

const FIND: Statement = {
  name: 'knowledge_authorizations.find',
  text: `select ${COLUMNS} from knowledge_authorizations where state_hash = $1 and expires_at > clock_timestamp()`,
};
/** If several callers run the statement, only one of them gets the row. */
const TAKE: Statement = {
  name: 'knowledge_authorizations.take',
  text: `with taken as (delete from knowledge_authorizations where state_hash = $1 returning *)
    select ${COLUMNS} from taken where expires_at > clock_timestamp()`,
};

const REMOVE_OF_CONNECTION = 'delete from knowledge_authorizations where workspace_id = $1 and connection_id = $2';

/**
 * Finds authorisations by the hash of their state, without the workspace, because a callback contains only the state.
 * The state has 256 random bits, and only its recipient knows it.
 */
@Injectable()
export class PendingAuthorizationRepository {
  constructor(private readonly statements: Statements) {}

  /** Also deletes expired authorisations. */
  async insert(pending: NewAuthorization, minutes: number, { manager }: Transaction): Promise<Date> {
    const { stateHash, workspaceId, knowledgeBaseId, sourceId, connectionId, connector, settings } = pending;
    await manager.query('delete from knowledge_authorizations where expires_at < clock_timestamp()');
    const place = [stateHash, workspaceId, knowledgeBaseId, sourceId, connectionId];
    const values = [...place, connector, JSON.stringify(settings), pending.verifier, pending.requestedBy, minutes];
    const [row] = await manager.query<{ expiresAt: Date }[]>(INSERT, values);
    return row!.expiresAt;
  }

  async find(stateHash: string): Promise<PendingAuthorizationEntity | undefined> {
    return (await this.statements.query<PendingAuthorizationEntity>(FIND, [stateHash]))[0];
  }

  async removeOfConnection({ workspaceId, id }: ConnectionPlace, { manager }: Transaction): Promise<void> {
    await manager.query(REMOVE_OF_CONNECTION, [workspaceId, id]);
  }

  async take(stateHash: string): Promise<PendingAuthorizationEntity | undefined> {
    return (await this.statements.query<PendingAuthorizationEntity>(TAKE, [stateHash]))[0];
  }
}
