import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { PrincipalType } from './wanted-grants.js';
import { KnowledgeBaseEntity } from '../bases/knowledge-base.entity.js';

@Entity('knowledge_grants')
@Index('knowledge_grants_principal_ix', ['workspaceId', 'type', 'principal'])
@ForeignKey(() => KnowledgeBaseEntity, ['workspaceId', 'knowledgeBaseId'], ['workspaceId', 'id'], {
  name: 'knowledge_grants_base_fk',
  onDelete: 'CASCADE',
})
@Check('knowledge_grants_type_ck', "type in ('user', 'group', 'channel', 'agent')")
export class AccessGrantEntity {
  @PrimaryColumn({
    name: 'workspace_id',
    type: 'text',
    collation: 'C',
    primaryKeyConstraintName: 'knowledge_grants_pk',
  })
  workspaceId: string;

  @PrimaryColumn({
    name: 'knowledge_base_id',
    type: 'text',
    collation: 'C',
    primaryKeyConstraintName: 'knowledge_grants_pk',
  })
  knowledgeBaseId: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'knowledge_grants_pk' })
  type: PrincipalType;

  /** The e-mail address of a user, the name of a group, `<channel type>:<channel id>`, or the id of an agent. */
  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'knowledge_grants_pk' })
  principal: string;

  @Column({ name: 'granted_by', type: 'text' })
  grantedBy: string;

  @Column({ name: 'granted_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  grantedAt: Date;
}
