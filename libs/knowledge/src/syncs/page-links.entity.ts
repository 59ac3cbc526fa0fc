import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { KnowledgeSourceEntity } from '../sources/store/knowledge-source.entity.js';

/**
 * The links of a page when it was last read. An unchanged page is not downloaded again, so its links are stored here.
 */
@Entity('knowledge_page_links')
@ForeignKey(() => KnowledgeSourceEntity, ['workspaceId', 'sourceId'], ['workspaceId', 'id'], {
  name: 'knowledge_page_links_source_fk',
})
export class PageLinksEntity {
  @PrimaryColumn({
    name: 'source_id',
    type: 'text',
    collation: 'C',
    primaryKeyConstraintName: 'knowledge_page_links_pk',
  })
  sourceId: string;

  @PrimaryColumn({ type: 'text', collation: 'C', primaryKeyConstraintName: 'knowledge_page_links_pk' })
  url: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ type: 'text', array: true })
  links: string[];
}
