import { type DynamicModule, Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { type ConnectionSettings, serviceDataSourceOptions } from './data-source.js';
import { DatabaseHealth } from './database-health.js';
import { Notifications } from './notifications.js';
import { ReservedStatements } from './reserved-statements.js';
import { Statements } from './statements.js';
import { TenantBelt } from './tenant-belt.js';
import { Transactions } from './transactions.js';

/**
 * The process's connection pool to Postgres, for repositories (TypeORM) and for prepared statements; and beside it, opened
 * by whoever needs them, the reserve and the listening connection.
 */
@Global()
@Module({})
export class DatabaseModule {
  static of(settings: ConnectionSettings): DynamicModule {
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
          inject: [DataSource],
          useFactory: (dataSource: DataSource) => new Statements(dataSource, settings.prepares),
        },
        Transactions,
        DatabaseHealth,
        {
          provide: TenantBelt,
          inject: [DataSource],
          useFactory: (dataSource: DataSource) => TenantBelt.fasten(dataSource, settings.tenantOf),
        },
        { provide: ReservedStatements, useFactory: () => new ReservedStatements(settings) },
        {
          provide: Notifications,
          inject: [Statements],
          useFactory: (statements: Statements) => new Notifications(settings, statements),
        },
      ],
      exports: [TypeOrmModule, Statements, Transactions, DatabaseHealth, TenantBelt, ReservedStatements, Notifications],
    };
  }
}
