import { ApiSchema, OmitType } from '@nestjs/swagger';
import { IsObject } from 'class-validator';
import {
  BULK_ACTION_KINDS,
  BULK_ACTION_STATUSES,
  BULK_RESULT_STATUSES,
  type BulkActionKind,
  type BulkActionResultEntity,
  type BulkActionStatus,
  type BulkResultStatus,
  RUN_MODES,
  type RunMode,
} from '@app/runs';
import { Field, Id, Nested, OneOf, Text, Whole } from '../http/fields.js';
import { PageQuery } from '../http/list-pages.service.js';
import { RunsFilter } from '../runs/run-filters.api.js';

@ApiSchema({ description: 'An action on many runs. Exactly one of `ids` and `filter` selects them.' })
export class CreateBulkActionBody {
  @OneOf(BULK_ACTION_KINDS, { description: 'Action to carry out on each run.', example: 'cancel' })
  action: BulkActionKind;
  @Text({
    optional: true,
    list: true,
    minItems: 1,
    maxItems: 1_000,
    pattern: /^[\x21-\x7e]{1,64}$/,
    message: 'each value in ids must be the id of a run (run_…)',
    description:
      'Ids of runs. Duplicates count once. The result of an unknown id is `failed`, with the code `not_found`.',
    example: ['run_01kahzvk3te9d8q6f0f1v3m2sx'],
  })
  ids?: string[];
  @Field({
    optional: true,
    type: () => RunsFilter,
    description:
      'Filter of runs. `{}` selects the newest `limit` runs of the whole workspace. If no run matches, no run is selected.',
  })
  @IsObject()
  filter?: object;
  @Whole({
    optional: true,
    minimum: 1,
    maximum: 10_000,
    default: 1_000,
    description: 'Maximum number of runs to select. If more runs match, the newest are selected.',
    example: 100,
  })
  limit = 1_000;
  @OneOf(RUN_MODES, {
    optional: true,
    description:
      'Mode of the replays; only for the action `replay`. Default: `test`. `production` carries out write operations again.',
  })
  mode?: RunMode;
}

/** Examples for the OpenAPI document. A generated example would combine fields that must not be combined. */
export const BULK_ACTION_EXAMPLES = {
  cancel: {
    summary: 'Cancel the waiting runs of an agent',
    value: {
      action: 'cancel',
      filter: { agent: 'agt_01kahzvk3te9d8q6f0f1v3m2sx', status: ['queued', 'waiting_approval'] },
      limit: 500,
    },
  },
  replay: {
    summary: 'Replay two runs',
    value: {
      action: 'replay',
      ids: ['run_01kahzvk3te9d8q6f0f1v3m2sx', 'run_01kahzvk3te9d8q6f0f1v3m2sy'],
      mode: 'test',
    },
  },
};

@ApiSchema({ description: 'Number of runs of a bulk action, by result.' })
export class BulkActionCounts {
  @Whole({ description: 'Number of selected runs.', example: 2 }) total: number;
  @Whole({ description: 'Number of runs that were cancelled or replayed.', example: 1 }) succeeded: number;
  @Whole({ description: 'Number of runs for which the action was rejected.', example: 1 }) failed: number;
}

@ApiSchema({ description: 'The result of a bulk action for one run.' })
export class BulkActionResult {
  @Id('run', { description: 'Id of the run.' }) run: string;
  @OneOf(BULK_RESULT_STATUSES, {
    description: 'Result; `pending` until the action is carried out.',
    example: 'succeeded',
  })
  status: BulkResultStatus;
  @Text({ optional: true, description: 'Error code if the status is `failed`.', example: 'run_not_cancellable' })
  code?: string;
  @Id('run', { optional: true, description: 'Id of the new run, if the action is `replay`.' }) replay?: string;
}

@ApiSchema({ name: 'BulkAction', description: 'An action on many runs, and one page of its results.' })
export class BulkActionResource {
  @Id('bulkAction') id: string;
  @OneOf(BULK_ACTION_KINDS, { description: 'Action that is carried out on each run.', example: 'replay' })
  action: BulkActionKind;
  @OneOf(BULK_ACTION_STATUSES, { description: '`completed` when every run has a result.', example: 'completed' })
  status: BulkActionStatus;
  @Nested(BulkActionCounts, { description: 'Number of runs by result.' }) counts: BulkActionCounts;
  @Text({ optional: true, description: 'Next page; absent on the last page.', example: 'eyJhIjoi…' })
  next_cursor?: string;
  @Nested(BulkActionResult, {
    list: true,
    description: 'Results on this page, in the order of the runs, newest first.',
  })
  results: BulkActionResult[];
}

export class BulkActionQuery extends OmitType(PageQuery, ['order'] as const) {}

export function presentResult({
  runId,
  status,
  code,
  replayId,
}: Pick<BulkActionResultEntity, 'runId' | 'status' | 'code' | 'replayId'>): BulkActionResult {
  return {
    run: runId,
    status,
    ...(code !== null && { code }),
    ...(replayId !== null && { replay: replayId }),
  };
}
