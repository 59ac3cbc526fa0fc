import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { WorkspaceEntity } from './workspace.entity.js';

/** Its value is sealed, and no API route returns it. */
@Entity('secrets')
@ForeignKey(() => WorkspaceEntity, ['workspaceId'], ['id'], { name: 'secrets_workspace_fk' })
export class SecretEntity {
  @PrimaryColumn({ name: 'workspace_id', type: 'text', collation: 'C', primaryKeyConstraintName: 'secrets_pk' })
  workspaceId: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'secrets_pk' })
  name: string;

  @Column({ type: 'bytea' })
  value: Buffer;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  updatedAt: Date;

  @Column({ name: 'updated_by', type: 'text' })
  updatedBy: string;
}
