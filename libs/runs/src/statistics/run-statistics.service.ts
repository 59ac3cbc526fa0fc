import { Clock, DomainError, parameterPlace } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import {
  RunStatisticsStore,
  type RunStatisticsSum,
  type StatisticsBucket,
  type StatisticsGrouping,
} from './run-statistics.store.js';

const DAY_MILLIS = 86_400_000;
const DEFAULT_DAYS = 30;
/**
 * Maximum length of the requested period in days, for each size of the time buckets. The limit is necessary because the
 * response has no pages.
 */
const MOST_DAYS: Readonly<Record<StatisticsBucket, number>> = { '1h': 31, '1d': 366 };

export interface StatisticsQuestion {
  bucket: StatisticsBucket;
  groupBy: StatisticsGrouping;
  /** Default: 30 days before `until`. */
  since?: Date | undefined;
  /** Default: now. */
  until?: Date | undefined;
}

/**
 * Reads the number, the duration and the cost of ended runs, per hour or day. A run is included a few seconds after it
 * has ended.
 */
@Injectable()
export class RunStatisticsService {
  constructor(
    private readonly store: RunStatisticsStore,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError `invalid_request` if the period is too long, or ends before it begins */
  sumRuns(workspaceId: string, { since, until, ...shape }: StatisticsQuestion): Promise<RunStatisticsSum[]> {
    const end = until ?? this.clock.now();
    const begin = since ?? new Date(end.getTime() - DEFAULT_DAYS * DAY_MILLIS);
    const millis = end.getTime() - begin.getTime();
    if (millis < 0) throw refusal('`since` must not be after `until`.');
    const most = MOST_DAYS[shape.bucket];
    if (millis > most * DAY_MILLIS) {
      throw refusal(`With \`bucket=${shape.bucket}\` the period is at most ${most} days. Ask for a shorter one.`);
    }
    return this.store.readSums(workspaceId, shape, { since: begin, until: end });
  }
}

function refusal(detail: string): DomainError {
  return new DomainError('invalid_request', detail, { errors: [parameterPlace('since', detail)] });
}
