import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLE = [
  // A view without a member is shared with the workspace.
  `create table saved_views (
    id text collate "C" not null,
    workspace_id text collate "C" not null,
    member_id text collate "C",
    screen text not null,
    name text not null,
    query text not null,
    created_at timestamptz(3) not null default clock_timestamp(),
    constraint saved_views_pk primary key (id),
    constraint saved_views_screen_ck check (screen in ('runs', 'approvals')),
    constraint saved_views_workspace_fk foreign key (workspace_id) references workspaces (id),
    constraint saved_views_member_fk foreign key (workspace_id, member_id) references members (workspace_id, id) on delete cascade,
    constraint saved_views_name_uq unique nulls not distinct (workspace_id, member_id, screen, name)
  )`,
];

export class SavedViews1796090000000 implements MigrationInterface {
  readonly name = 'SavedViews1796090000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of TABLE) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table saved_views');
  }
}
