import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { type ApiConfig, apiConfig } from '@app/installation/settings';
import { abortWithin } from '@app/kernel';
import { type AddressConfig, addressConfig } from '@app/platform/startup';
import { presentRun, type RunEntity, RunQueriesService, RunWatcherService } from '@app/runs';
import type { Principal } from '@app/workspace';
import { RunReaderService } from './run-reader.service.js';
import { presentStart } from './run-starts.js';
import type { RunResource } from './runs.api.js';

interface AwaitedStart {
  principal: Principal;
  started: { run: RunEntity; replayed: boolean };
  /** Undefined if the caller does not wait. */
  seconds: number | undefined;
}

/**
 * Implements `Prefer: wait`: delays the response until the run has ended. All waiting requests of a process share the
 * database query of the live view.
 */
@Injectable()
export class RunWaitsService {
  private readonly shutdown = new AbortController();
  private waiting = 0;

  constructor(
    private readonly watcher: RunWatcherService,
    private readonly queries: RunQueriesService,
    private readonly reader: RunReaderService,
    @Inject(apiConfig.KEY) private readonly config: ApiConfig,
    @Inject(addressConfig.KEY) private readonly address: AddressConfig,
  ) {}

  /**
   * Responds with 200 if the run ends within `seconds`, otherwise with 202. Does not wait if the caller may not read
   * runs, because the response of an ended run contains its output. Does not wait if too many requests are already
   * waiting. Their maximum is the limit of this process for event streams.
   */
  async respond(response: Response, { principal, started, seconds }: AwaitedStart): Promise<RunResource> {
    const { consoleUrl } = this.address;
    const accepted = presentStart(response, started, consoleUrl);
    const mayWait = principal.scopes.has('runs:read') && this.waiting < this.config.runEventsMaxStreams;
    if (seconds === undefined || !mayWait) return accepted;
    await this.waitForEnd(started.run.id, seconds, response);
    const awaited = await this.queries.getWithApprovals(principal.workspaceId, started.run.id);
    if (awaited.run.endedAt) response.status(200);
    response.setHeader('Preference-Applied', `wait=${seconds}`);
    return presentRun(await this.reader.addressed(principal, awaited), consoleUrl);
  }

  /** For the shutdown: responds to all waiting requests with the current state of their runs. */
  endAll(): void {
    this.shutdown.abort();
  }

  private async waitForEnd(runId: string, seconds: number, response: Response): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const signal = abortWithin(seconds * 1_000, gone.signal, this.shutdown.signal);
    this.waiting++;
    await this.watcher.untilEnded(runId, signal).finally(() => this.waiting--);
  }
}
