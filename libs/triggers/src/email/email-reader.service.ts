import { fileURLToPath } from 'node:url';
import { DomainError } from '@app/kernel';
import { type MailConfig, mailConfig } from '@app/platform/mail';
import { type EmailConfig, emailConfig } from './email.config.js';
import {
  type PoolSettings,
  type ProcessCall,
  ProcessPool,
  SandboxFailure,
  SandboxLimitExceeded,
} from '@app/platform/sandbox';
import { type RunIntakeConfig, runIntakeConfig } from '@app/runs';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { HeldContent } from '@app/files';
import type { AttachmentPiece } from './email-attachments.js';
import { type EmailSettings, TOO_SLOW, UnreadableEmail } from './read-email.js';
import type { ParsedEmail } from './received-email.js';

type ReaderConfig = Pick<EmailConfig, 'smtpTrustedRelays'>;
type SizeConfig = Pick<MailConfig, 'smtpMaxMessageBytes'>;

export interface ArrivedSource {
  content: HeldContent;
  /** Sender of the SMTP envelope, empty for bounces. Null if it is not known. */
  sender: string | null;
}

/** Takes the bytes of the attachments, in order. */
export interface AttachmentReceiver {
  /** Called before each attempt to read the mail. */
  begin(): Promise<void>;
  take(piece: AttachmentPiece): Promise<void>;
}

const MIB = 1024 * 1024;
const LIMITS = {
  processes: 2,
  heapMegabytes: 384,
  /** Maximum CPU time for one mail. A mail of 10 MiB takes 0.1 s. The most expensive known mail takes 4 s. */
  cpuMillis: 30_000,
  millis: 300_000,
};
const PROCESS_MEGABYTES = 512;
/** The texts of a mail are in memory as a whole, several times. Attachments are not. */
const COPIES = 8;
/**
 * Must be less than ten minutes, because the SMTP client waits ten minutes for the response (RFC 5321, section
 * 4.5.3.2.6).
 */
const WAIT_MILLIS = 120_000;

@Injectable()
export class EmailReaderService implements OnApplicationShutdown {
  private readonly pool: ProcessPool<EmailSettings, ParsedEmail>;

  private readonly cpuMillis = LIMITS.cpuMillis;

  constructor(
    @Inject(emailConfig.KEY) private readonly config: ReaderConfig,
    @Inject(runIntakeConfig.KEY) private readonly intake: Pick<RunIntakeConfig, 'maxInputBytes'>,
    @Inject(mailConfig.KEY) size: SizeConfig,
  ) {
    this.pool = EmailReaderService.poolOf(size);
  }

  static with(
    config: ReaderConfig & SizeConfig & Pick<RunIntakeConfig, 'maxInputBytes'>,
    settings: Partial<PoolSettings>,
  ): EmailReaderService {
    const { cpuMillis = LIMITS.cpuMillis } = settings;
    const pool = EmailReaderService.poolOf(config, settings);
    return Object.assign(new EmailReaderService(config, config, config), { pool, cpuMillis });
  }

  private static poolOf(
    config: SizeConfig,
    settings: Partial<PoolSettings> = {},
  ): ProcessPool<EmailSettings, ParsedEmail> {
    const program = fileURLToPath(new URL('./email-program.js', import.meta.url));
    const totalMegabytes = PROCESS_MEGABYTES + COPIES * Math.ceil(config.smtpMaxMessageBytes / MIB);
    return new ProcessPool({ ...LIMITS, program, totalMegabytes, ...settings });
  }

  /**
   * @throws UnreadableEmail if the mail exceeds a limit of size, time or memory; a retry would fail again
   * @throws DomainError `unavailable` if no process can read the mail now
   */
  async read(source: ArrivedSource, receiver: AttachmentReceiver): Promise<ParsedEmail> {
    const waiting = AbortSignal.timeout(WAIT_MILLIS);
    try {
      return await this.pool.use((call) => this.readIn(call, source, receiver), waiting);
    } catch (error) {
      if (error instanceof DomainError) throw error;
      if (error instanceof SandboxLimitExceeded) throw new UnreadableEmail(REASONS[error.limit], { cause: error });
      if (error instanceof SandboxFailure && error.name === 'UnreadableEmail') throw new UnreadableEmail(error.message);
      throw new DomainError(
        'unavailable',
        'The mail cannot be read at the moment, because the process that reads mails is busy or has failed. The service tries again.',
        { cause: error },
      );
    }
  }

  private async readIn(
    call: ProcessCall,
    { content, sender }: ArrivedSource,
    receiver: AttachmentReceiver,
  ): Promise<ParsedEmail> {
    const { smtpTrustedRelays: trustedRelays } = this.config;
    const { maxInputBytes } = this.intake;
    const take = async (pieces: readonly AttachmentPiece[]): Promise<void> => {
      for (const piece of pieces) await receiver.take(piece);
    };
    await receiver.begin();
    const settings: EmailSettings = { sender, trustedRelays, maxInputBytes, cpuMillis: this.cpuMillis };
    await call('begin', settings);
    for await (const chunk of content.read()) await take(await call<AttachmentPiece[]>('feed', chunk));
    const { pieces, email } = await call<{ pieces: AttachmentPiece[]; email: ParsedEmail }>('finish');
    await take(pieces);
    return email;
  }

  onApplicationShutdown(): void {
    this.pool.close();
  }
}

const REASONS = {
  time: TOO_SLOW,
  memory: 'The mail needs too much memory to read.',
  crashed: 'The mail cannot be read.',
};
