import { type DynamicModule, Global, Module } from '@nestjs/common';
import { LOGGER, type Logger } from '@app/platform/observability';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { serviceDataSourceOptions } from './data-source.js';
import { DatabaseHealthService } from './database-health.service.js';
import { DueWorkService } from './due-work.service.js';
import { Notifications } from './notifications.js';
import { ReservedStatements } from './reserved-statements.js';
import type { ConnectionSettings } from './service-pool.js';
import { SnapshotsService } from './snapshots.service.js';
import { StorageAlarmService } from './storage-alarm.service.js';
import { Statements } from './statements.js';
import { TenantRole } from './tenant-role.js';
import { Transactions } from './transactions.js';

const STATEMENTS_LOST =
  'database: the connection pooler loses prepared statements, so this process stops using them (docs/operations.md)';

/** The reserved connections and the listening connection are separate from the pool and open on first use. */
@Global()
@Module({})
export class DatabaseModule {
  static of(settings: ConnectionSettings, migrations: readonly string[] = []): DynamicModule {
    return {
      module: DatabaseModule,
      imports: [
        TypeOrmModule.forRoot({
          ...serviceDataSourceOptions(settings),
          autoLoadEntities: true,
          retryAttempts: 5,
          retryDelay: 1_000,
        }),
      ],
      providers: [
        {
          provide: Statements,
          inject: [DataSource, { token: LOGGER, optional: true }],
          useFactory: (dataSource: DataSource, logger?: Logger) =>
            new Statements(dataSource, settings.prepares, (error) => logger?.warn({ err: error }, STATEMENTS_LOST)),
        },
        StorageAlarmService,
        DueWorkService,
        { provide: Transactions, inject: [DataSource], useFactory: (source: DataSource) => new Transactions(source) },
        {
          provide: DatabaseHealthService,
          inject: [Statements, DataSource],
          useFactory: (statements: Statements, dataSource: DataSource) =>
            new DatabaseHealthService(statements, dataSource, migrations),
        },
        {
          provide: TenantRole,
          inject: [DataSource],
          useFactory: (dataSource: DataSource) => TenantRole.attach(dataSource, settings.tenantOf),
        },
        {
          provide: SnapshotsService,
          // TenantRole and SnapshotsService both replace the function that obtains connections. TenantRole is created
          // first, so that snapshots obtain their connections through the tenant role.
          inject: [DataSource, TenantRole],
          useFactory: (dataSource: DataSource) => new SnapshotsService(dataSource),
        },
        { provide: ReservedStatements, useFactory: () => new ReservedStatements(settings) },
        {
          provide: Notifications,
          inject: [Statements],
          useFactory: (statements: Statements) => new Notifications(settings, statements),
        },
      ],
      exports: [
        TypeOrmModule,
        Statements,
        Transactions,
        SnapshotsService,
        DatabaseHealthService,
        StorageAlarmService,
        TenantRole,
        ReservedStatements,
        Notifications,
        DueWorkService,
      ],
    };
  }
}
