import { fileURLToPath } from 'node:url';
import { DomainError } from '@app/kernel';
import { type EmailConfig, emailConfig } from './email.config.js';
import { type PoolSettings, ProcessPool, SandboxFailure, SandboxLimitExceeded } from '@app/platform/sandbox';
import { type RunIntakeConfig, runIntakeConfig } from '@app/runs';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type EmailSource, UnreadableEmail } from './read-email.js';
import type { ReceivedEmail } from './received-email.js';

type ReaderConfig = Pick<EmailConfig, 'smtpMaxMessageBytes' | 'smtpTrustedRelays'>;
/** A mail as it arrived, and the sender of its envelope. */
export type ArrivedSource = Pick<EmailSource, 'raw' | 'sender'>;

const MIB = 1024 * 1024;
const LIMITS = {
  processes: 2,
  heapMegabytes: 384,
  /** A mail of 10 MiB takes 0.1 s, the most expensive known one 4 s. */
  cpuMillis: 30_000,
  millis: 300_000,
};
/** MiB of a process that has read nothing yet, its heap at the limit. */
const PROCESS_MEGABYTES = 512;
/** Copies of a mail that reading it holds at the same time: as it arrived, split, decoded and as text. */
const COPIES = 8;
/** Longest wait of a mail for a process. A sender waits ten minutes for the answer (RFC 5321, 4.5.3.2.6). */
const WAIT_MILLIS = 120_000;

/**
 * Reads mails in separate processes, because the libraries that decode them take seconds for some hostile mails within
 * all size limits.
 */
@Injectable()
export class EmailReaderService implements OnApplicationShutdown {
  private readonly pool: ProcessPool<EmailSource, ReceivedEmail>;

  constructor(
    @Inject(emailConfig.KEY) private readonly config: ReaderConfig,
    @Inject(runIntakeConfig.KEY) private readonly intake: Pick<RunIntakeConfig, 'maxInputBytes'>,
  ) {
    this.pool = EmailReaderService.poolOf(config);
  }

  /** For tests, which run from sources. */
  static with(
    config: ReaderConfig & Pick<RunIntakeConfig, 'maxInputBytes'>,
    settings: Partial<PoolSettings>,
  ): EmailReaderService {
    return Object.assign(new EmailReaderService(config, config), { pool: EmailReaderService.poolOf(config, settings) });
  }

  private static poolOf(
    config: ReaderConfig,
    settings: Partial<PoolSettings> = {},
  ): ProcessPool<EmailSource, ReceivedEmail> {
    const program = fileURLToPath(new URL('./email-program.js', import.meta.url));
    const totalMegabytes = PROCESS_MEGABYTES + COPIES * Math.ceil(config.smtpMaxMessageBytes / MIB);
    return new ProcessPool({ ...LIMITS, program, totalMegabytes, ...settings });
  }

  /**
   * @throws UnreadableEmail where the mail is beyond a limit of size, time or memory: it is so each time
   * @throws DomainError `unavailable` where no process can read it now
   */
  async read({ raw, sender }: ArrivedSource): Promise<ReceivedEmail> {
    const { smtpTrustedRelays: trustedRelays } = this.config;
    const { maxInputBytes } = this.intake;
    const waiting = AbortSignal.timeout(WAIT_MILLIS);
    try {
      return await this.pool.handle({ raw, sender, trustedRelays, maxInputBytes }, waiting);
    } catch (error) {
      if (error instanceof SandboxLimitExceeded) throw new UnreadableEmail(REASONS[error.limit], { cause: error });
      if (error instanceof SandboxFailure && error.name === 'UnreadableEmail') throw new UnreadableEmail(error.message);
      throw new DomainError('unavailable', 'The mail cannot be read at the moment.', { cause: error });
    }
  }

  onApplicationShutdown(): void {
    this.pool.close();
  }
}

const REASONS = {
  time: 'The mail takes too long to read.',
  memory: 'The mail needs too much memory to read.',
  crashed: 'The mail cannot be read.',
};
