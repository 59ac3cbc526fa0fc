import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = [
  `create table sessions (
    id text collate "C" not null,
    workspace_id text collate "C" not null,
    member_id text collate "C" not null,
    token_hash bytea not null,
    method text not null,
    -- Of a session that was exchanged for an API key: the key, and the hash of the text that was presented.
    key_id text collate "C",
    key_hash bytea,
    issuer text,
    subject text,
    user_agent text not null,
    -- Time of the last proof of identity. A switch of the workspace keeps it.
    signed_in_at timestamptz(3) not null,
    created_at timestamptz(3) not null default clock_timestamp(),
    last_seen_at timestamptz(3) not null default clock_timestamp(),
    expires_at timestamptz(3) not null,
    constraint sessions_pk primary key (id),
    constraint sessions_token_uq unique (token_hash),
    constraint sessions_member_fk foreign key (workspace_id, member_id) references members (workspace_id, id) on delete cascade,
    constraint sessions_method_ck check (method in ('link', 'invitation', 'email', 'oidc', 'key')),
    constraint sessions_key_ck check ((method = 'key') = (key_id is not null and key_hash is not null)),
    constraint sessions_identity_ck check ((method = 'oidc') = (issuer is not null and subject is not null))
  )`,
  'create index sessions_list_ix on sessions (workspace_id, member_id, id)',
  // A used token is kept for a while, so that a second use is recognised.
  `create table sign_in_tokens (
    hash bytea not null,
    kind text not null,
    workspace_id text collate "C" not null,
    member_id text collate "C" not null,
    created_at timestamptz(3) not null default clock_timestamp(),
    expires_at timestamptz(3) not null,
    used_at timestamptz(3),
    -- Only for sign-in by e-mail: the code, and the browser in which the code works.
    code_mac bytea,
    browser_hash bytea,
    wrong_codes integer not null default 0,
    -- Only for sign-in of the CLI: the scopes of its key, and the PKCE challenge.
    challenge text,
    grants jsonb,
    constraint sign_in_tokens_pk primary key (hash),
    constraint sign_in_tokens_member_fk foreign key (workspace_id, member_id) references members (workspace_id, id) on delete cascade,
    constraint sign_in_tokens_kind_ck check (kind in ('link', 'invitation', 'email', 'cli')),
    constraint sign_in_tokens_email_ck check ((kind = 'email') = (code_mac is not null and browser_hash is not null)),
    constraint sign_in_tokens_cli_ck check ((kind = 'cli') = (challenge is not null and grants is not null))
  )`,
  'create index sign_in_tokens_member_ix on sign_in_tokens (workspace_id, member_id, kind)',
  'create index sign_in_tokens_browser_ix on sign_in_tokens (browser_hash) where browser_hash is not null',
  `create table member_identities (
    workspace_id text collate "C" not null,
    member_id text collate "C" not null,
    issuer text not null,
    subject text not null,
    created_at timestamptz(3) not null default clock_timestamp(),
    constraint member_identities_pk primary key (workspace_id, issuer, subject),
    constraint member_identities_member_uq unique (workspace_id, member_id, issuer),
    constraint member_identities_member_fk foreign key (workspace_id, member_id) references members (workspace_id, id) on delete cascade
  )`,
  'create index member_identities_person_ix on member_identities (issuer, subject)',
  // Used `state` values of OIDC sign-ins. They belong to no workspace, because the member is not known before the
  // sign-in.
  `create table spent_sign_ins (
    hash bytea not null,
    expires_at timestamptz(3) not null,
    constraint spent_sign_ins_pk primary key (hash)
  )`,
  'create index spent_sign_ins_expiry_ix on spent_sign_ins (expires_at)',
  'alter table members add column last_used_at timestamptz(3)',
];

export class SignIn1795484384470 implements MigrationInterface {
  readonly name = 'SignIn1795484384470';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of TABLES) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table members drop column last_used_at');
    await queryRunner.query('drop table spent_sign_ins, member_identities, sign_in_tokens, sessions');
  }
}
