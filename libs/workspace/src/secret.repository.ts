import type { PageRequest } from '@app/kernel';
import { orUnavailable, type Statement, Statements, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import { NamedRowsRepository } from './named-rows.repository.js';
import { SecretEntity } from './secret.entity.js';

export type ListedSecret = Pick<SecretEntity, 'name' | 'createdAt' | 'updatedAt'>;

const FIND_VALUE: Statement = {
  name: 'workspace.find_secret',
  text: 'select value from secrets where workspace_id = $1 and name = $2',
};

// If the same secret is put twice concurrently, both calls succeed, and the value of the later call remains. `xmax` is
// 0 if the row was inserted, not updated.
const PUT = `insert into secrets (workspace_id, name, value, updated_by) values ($1, $2, $3, $4)
  on conflict on constraint secrets_pk do update
    set value = excluded.value, updated_by = excluded.updated_by, updated_at = clock_timestamp()
  returning xmax = 0 as "isNew"`;

@Injectable()
export class SecretRepository extends NamedRowsRepository<SecretEntity> {
  constructor(
    @InjectRepository(SecretEntity) table: Repository<SecretEntity>,
    private readonly statements: Statements,
  ) {
    super(table);
  }

  async findValue(workspaceId: string, name: string): Promise<Buffer | undefined> {
    const [row] = await this.statements.query<Pick<SecretEntity, 'value'>>(FIND_VALUE, [workspaceId, name]);
    return row?.value;
  }

  page(workspaceId: string, page: PageRequest): Promise<ListedSecret[]> {
    return this.pageOf(['workspaceId', 'name', 'createdAt', 'updatedAt'], workspaceId, page);
  }

  async known(workspaceId: string, names: readonly string[], transaction?: Transaction): Promise<ReadonlySet<string>> {
    const table = transaction?.manager.getRepository(SecretEntity) ?? this.table;
    const where = { workspaceId, name: In([...names]) };
    const found = await orUnavailable(table.find({ select: { name: true }, where }));
    return new Set(found.map((secret) => secret.name));
  }

  async put(
    { workspaceId, name, value, updatedBy }: Pick<SecretEntity, 'workspaceId' | 'name' | 'value' | 'updatedBy'>,
    { manager }: Transaction,
  ): Promise<boolean> {
    const [row] = await manager.query<[{ isNew: boolean }]>(PUT, [workspaceId, name, value, updatedBy]);
    return row.isNew;
  }

  async delete(workspaceId: string, name: string, { manager }: Transaction): Promise<boolean> {
    return (await manager.delete(SecretEntity, { workspaceId, name })).affected === 1;
  }
}
