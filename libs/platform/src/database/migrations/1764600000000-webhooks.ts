import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Endpoints of subscribers, the messages that are sent to them, and the deliveries that are owed. */
export class Webhooks1764600000000 implements MigrationInterface {
  readonly name = 'Webhooks1764600000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of UP) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await queryRunner.query(statement);
  }
}

const UP = [
  `create table webhook_endpoints (
    id text collate "C" not null,
    workspace_id text collate "C" not null,
    url text not null,
    description text not null default '',
    events text[] not null,
    agents text[],
    status text not null default 'enabled',
    disabled_reason text,
    failing_since timestamptz(3),
    secret bytea not null,
    previous_secret bytea,
    previous_secret_expires_at timestamptz(3),
    created_at timestamptz(3) not null default clock_timestamp(),
    updated_at timestamptz(3) not null default clock_timestamp(),
    constraint webhook_endpoints_pk primary key (id),
    constraint webhook_endpoints_workspace_fk foreign key (workspace_id) references workspaces (id),
    constraint webhook_endpoints_status_ck check (status in ('enabled', 'disabled')),
    constraint webhook_endpoints_reason_ck check ((status = 'enabled') = (disabled_reason is null)),
    constraint webhook_endpoints_previous_ck check ((previous_secret is null) = (previous_secret_expires_at is null))
  )`,
  `create index webhook_endpoints_list_ix on webhook_endpoints (workspace_id, id)`,
  // The exact bytes that every endpoint is sent about an event; written only where one has subscribed to it.
  `create table webhook_messages (
    event_id text collate "C" not null,
    workspace_id text collate "C" not null,
    body text not null,
    constraint webhook_messages_pk primary key (event_id)
  )`,
  // No foreign key to the endpoint: its share lock would make the endpoint's row the most contended one of a busy
  // workspace, and an endpoint that is deleted meanwhile would fail the transaction that ends a run.
  `create table webhook_deliveries (
    id text collate "C" not null,
    workspace_id text collate "C" not null,
    endpoint_id text collate "C" not null,
    event_id text collate "C" not null,
    event_type text not null,
    status text not null default 'pending',
    attempts integer not null default 0,
    next_at timestamptz default clock_timestamp(),
    claimed_by text,
    last_attempt_at timestamptz(3),
    response_status integer,
    response_excerpt text,
    latency_ms integer,
    error text,
    created_at timestamptz(3) not null default clock_timestamp(),
    constraint webhook_deliveries_pk primary key (id),
    constraint webhook_deliveries_event_uq unique (event_id, endpoint_id),
    constraint webhook_deliveries_message_fk foreign key (event_id) references webhook_messages (event_id) on delete cascade,
    constraint webhook_deliveries_status_ck check (status in ('pending', 'delivered', 'failed', 'cancelled')),
    constraint webhook_deliveries_next_ck check ((status = 'pending') = (next_at is not null)),
    constraint webhook_deliveries_claim_ck check (claimed_by is null or status = 'pending')
  ) with (fillfactor = 70)`,
  `create index webhook_deliveries_list_ix on webhook_deliveries (endpoint_id, id)`,
  `create index webhook_deliveries_due_ix on webhook_deliveries (endpoint_id, next_at) where status = 'pending'`,
  `create index webhook_deliveries_claimed_ix on webhook_deliveries (endpoint_id) where claimed_by is not null`,
  // For GET /events: all of them, by agent, and by the types of which there are few among very many ends of runs.
  `create index events_list_ix on events (workspace_id, id)`,
  `create index events_agent_ix on events (workspace_id, (data ->> 'agent'), id)`,
  `create index events_type_ix on events (workspace_id, type, id) where type <> 'run.completed'`,
];

const DOWN = [
  `drop index events_type_ix`,
  `drop index events_agent_ix`,
  `drop index events_list_ix`,
  `drop table webhook_deliveries`,
  `drop table webhook_messages`,
  `drop table webhook_endpoints`,
];
