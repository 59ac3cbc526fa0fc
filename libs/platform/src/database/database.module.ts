import { type DynamicModule, Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { type ConnectionSettings, dataSourceOptions } from './data-source.js';
import { DatabaseHealth } from './database-health.js';
import { Statements } from './statements.js';
import { Transactions } from './transactions.js';

/** The process's one connection pool to Postgres, for repositories (TypeORM) and for prepared statements. */
@Global()
@Module({})
export class DatabaseModule {
  static of(settings: ConnectionSettings): DynamicModule {
    return {
      module: DatabaseModule,
      imports: [
        TypeOrmModule.forRoot({
          ...dataSourceOptions(settings),
          autoLoadEntities: true,
          retryAttempts: 5,
          retryDelay: 1_000,
        }),
      ],
      providers: [Statements, Transactions, DatabaseHealth],
      exports: [TypeOrmModule, Statements, Transactions, DatabaseHealth],
    };
  }
}
