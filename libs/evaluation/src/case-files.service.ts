import type { EvaluatedVersion, EvaluationEntity } from '@app/agents';
import type { CompiledDefinition } from '@app/definition';
import { type FileEntity, FileRightsService, type HeldFile, HeldFixturesService } from '@app/files';
import { DomainError, fileValuesBelow, type JsonObject, jsonPointer } from '@app/kernel';
import type { Transaction } from '@app/platform/database';
import type { Principal } from '@app/workspace';
import { Injectable } from '@nestjs/common';

/** The files that cases name by id, and the pointers of those that the caller may not use. */
export interface NamedFiles {
  usable: readonly HeldFile[];
  unusable: readonly string[];
}

/** Keeps the files of the cases for an evaluation: its fixtures, and the files that cases name by id. */
@Injectable()
export class CaseFilesService {
  constructor(
    private readonly rights: FileRightsService,
    private readonly fixtures: HeldFixturesService,
  ) {}

  /** Needs a database connection of its own, so call it before the transaction. */
  async namedIn({ evaluation }: CompiledDefinition, caller: Principal): Promise<NamedFiles> {
    const places = (evaluation?.cases ?? []).flatMap(({ input, answers = new Map<string, JsonObject>() }, at) => [
      ...filesBelow(input, ['cases', String(at), 'input']),
      ...[...answers].flatMap(([step, answer]) => filesBelow(answer, ['cases', String(at), 'answers', step])),
    ]);
    const known = await this.rights.usableBy(
      caller,
      places.map(({ file }) => file),
    );
    const usable = places.filter(({ file }) => known.has(file));
    const unusable = places.filter(({ file }) => !known.has(file));
    return {
      usable: usable.map(({ file, path }) => ({ file, place: path.join('.') })),
      unusable: unusable.map(({ path }) => jsonPointer(['evaluation', ...path, 'file'])),
    };
  }

  /**
   * @throws DomainError `input_invalid` with the pointers of files that the caller may not use; `unknown_reference` with
   * the places of fixtures that do not exist
   */
  async hold(
    evaluation: EvaluatedVersion & { id: string },
    { evaluation: set }: CompiledDefinition,
    { usable, unusable }: NamedFiles,
    transaction: Transaction,
  ): Promise<EvaluationEntity['fixtures']> {
    const [pointer] = unusable;
    if (pointer !== undefined) {
      const detail = 'There is no such file, it was deleted, or you may not use it.';
      const errors = unusable.map((each) => ({ pointer: each, detail }));
      throw new DomainError('input_invalid', `A file of a case cannot be used: ${pointer}.`, { errors });
    }
    const uses = set?.cases.flatMap(({ fixtures }) => fixtures) ?? [];
    const names = [...new Set(uses.map(({ name }) => name))];
    const held = await this.fixtures.hold(evaluation, names, usable, transaction);
    const errors = uses
      .filter(({ name }) => !Object.hasOwn(held, name))
      .map(({ name, path }) => ({ pointer: jsonPointer(path), detail: `There is no fixture \`${name}\`.` }));
    const [first] = errors;
    if (!first) return held;
    const detail = `${first.detail} Send it with PUT /v1/fixtures, or run \`aas apply\` in the project that has it.`;
    throw new DomainError('unknown_reference', detail, { errors });
  }

  release(evaluationId: string, transaction: Transaction): Promise<void> {
    return this.fixtures.release(evaluationId, transaction);
  }

  heldBy({ workspaceId, id }: EvaluationEntity): Promise<ReadonlyMap<string, FileEntity>> {
    return this.rights.readyOf(workspaceId, id);
  }
}

function filesBelow(value: JsonObject, place: readonly string[]): { file: string; path: readonly string[] }[] {
  return fileValuesBelow(value).map(({ id, path }) => ({ file: id, path: [...place, ...path] }));
}
