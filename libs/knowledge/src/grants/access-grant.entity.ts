import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { PrincipalType } from './wanted-grants.js';

@Entity('knowledge_grants')
export class AccessGrantEntity {
  @PrimaryColumn({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @PrimaryColumn({ name: 'knowledge_base_id', type: 'text', collation: 'C' })
  knowledgeBaseId: string;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  type: PrincipalType;

  /** The e-mail address of a user, the name of a group, `<channel type>:<channel id>`, or the id of an agent. */
  @PrimaryColumn({ type: 'text', collation: 'C' })
  principal: string;

  @Column({ name: 'granted_by', type: 'text' })
  grantedBy: string;

  @Column({ name: 'granted_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  grantedAt: Date;
}
