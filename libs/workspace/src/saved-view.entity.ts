import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ViewScreen } from './view-screens.js';

/** The filters of a list of the console under a name. */
@Entity('saved_views')
export class SavedViewEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  id: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  /** Null for a view that is shared with the workspace. It stays when the member who shared it is removed. */
  @Column({ name: 'member_id', type: 'text', collation: 'C', nullable: true })
  memberId: string | null;

  @Column({ type: 'text' })
  screen: ViewScreen;

  @Column({ type: 'text' })
  name: string;

  /** Query of the page address, without the question mark. */
  @Column({ type: 'text' })
  query: string;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt: Date;
}
