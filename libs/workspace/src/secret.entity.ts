import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Its value is sealed, and no API route returns it. */
@Entity('secrets')
export class SecretEntity {
  @PrimaryColumn({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @PrimaryColumn({ type: 'text', collation: 'C' })
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
