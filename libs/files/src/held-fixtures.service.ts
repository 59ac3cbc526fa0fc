import type { Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { FileReferenceStore } from './records/file-reference.store.js';
import { FixtureStore } from './records/fixture.store.js';
import { type FileValue, fileValueOf } from './values/file-value.js';

/** The evaluation that uses fixtures. */
interface FixtureUser {
  workspaceId: string;
  id: string;
  agentId: string;
}

/** Evaluations refer to the bytes of their fixtures as runs do. */
@Injectable()
export class HeldFixturesService {
  constructor(
    private readonly fixtures: FixtureStore,
    private readonly references: FileReferenceStore,
  ) {}

  /**
   * Keeps the bytes of the fixtures as they are now: until {@link release}, and then as long as those of a run that has
   * ended. Returns the values by name. Names of which there is no fixture are absent.
   */
  async hold(
    { workspaceId, id: run, agentId: agent }: FixtureUser,
    names: readonly string[],
    transaction: Transaction,
  ): Promise<Record<string, FileValue>> {
    if (names.length === 0) return {};
    await this.fixtures.lock(workspaceId, transaction, 'use');
    const found = await this.fixtures.find(workspaceId, names, transaction);
    await this.references.refer(
      { run, workspace: workspaceId, agent, parent: null, open: true },
      found.map(({ id: file, name }) => ({
        file,
        place: `fixtures.${name}`,
        step: null,
        redacted: false,
        granted: true,
      })),
      transaction,
    );
    return Object.fromEntries(found.map(({ name, file }) => [name, fileValueOf(file)]));
  }

  /** The evaluation has ended. */
  async release(evaluationId: string, transaction: Transaction): Promise<void> {
    await this.references.end(evaluationId, transaction);
  }
}
