import { Inject, Injectable } from '@nestjs/common';
import { type ApiConfig, apiConfig } from '@app/installation/settings';
import { abortWithin } from '@app/kernel';
import { RunWatcherService } from '@app/runs';

export interface McpWait {
  runId: string;
  millis: number;
  /** Aborts when nobody waits any more. */
  gone: AbortSignal;
  /** Whether the client knows that the run waits for people, so that the run must first continue. */
  isRepeated?: boolean;
}

/** Holds the answers to calls until their runs have ended or wait for people. */
@Injectable()
export class McpWaitsService {
  private readonly shutdown = new AbortController();
  private waiting = 0;

  constructor(
    private readonly watcher: RunWatcherService,
    @Inject(apiConfig.KEY) private readonly config: ApiConfig,
  ) {}

  /** Returns at once if `MCP_MAX_WAITS` calls are waiting already. */
  async wait({ runId, millis, gone, isRepeated = false }: McpWait): Promise<void> {
    if (millis === 0 || this.waiting >= this.config.mcpMaxWaits) return;
    const signal = abortWithin(millis, gone, this.shutdown.signal);
    this.waiting++;
    try {
      await (isRepeated ? this.watcher.untilSettledAgain(runId, signal) : this.watcher.untilSettled(runId, signal));
    } finally {
      this.waiting--;
    }
  }

  /** For the shutdown: answers all waiting calls with the current state of their runs. */
  endAll(): void {
    this.shutdown.abort();
  }
}
