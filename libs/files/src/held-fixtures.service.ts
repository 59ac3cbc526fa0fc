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

/** A file that is no fixture. */
export interface HeldFile {
  file: string;
  place: string;
}

/** Evaluations refer to the bytes of their fixtures as runs do. */
@Injectable()
export class HeldFixturesService {
  constructor(
    private readonly fixtures: FixtureStore,
    private readonly references: FileReferenceStore,
  ) {}

  /**
   * Keeps the bytes of the fixtures as they are now, and those of other files: until {@link release}, and then as long as
   * those of a run that has ended. Returns the values of the fixtures by name. Names of which there is no fixture are
   * absent.
   */
  async hold(
    { workspaceId, id: run, agentId: agent }: FixtureUser,
    names: readonly string[],
    others: readonly HeldFile[],
    transaction: Transaction,
  ): Promise<Record<string, FileValue>> {
    if (names.length + others.length === 0) return {};
    if (names.length > 0) await this.fixtures.lock(workspaceId, transaction, 'use');
    const found = names.length === 0 ? [] : await this.fixtures.find(workspaceId, names, transaction);
    const places = [...found.map(({ id: file, name }) => ({ file, place: `fixtures.${name}` })), ...others];
    await this.references.refer(
      { run, workspace: workspaceId, agent, parent: null, open: true },
      places.map((each) => ({ ...each, step: null, redacted: false, granted: true })),
      transaction,
    );
    return Object.fromEntries(found.map(({ name, file }) => [name, fileValueOf(file)]));
  }

  /** The evaluation has ended. */
  async release(evaluationId: string, transaction: Transaction): Promise<void> {
    await this.references.end(evaluationId, transaction);
  }
}
