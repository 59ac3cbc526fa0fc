import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The members are looked up each time the name is used, so a change of the group takes effect in all places. */
@Entity('groups')
export class GroupEntity {
  @PrimaryColumn({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  name: string;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt: Date;
}
