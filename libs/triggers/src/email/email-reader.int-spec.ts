import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PoolSettings } from '@app/platform/sandbox';
import { builtPrograms } from '../../../../test/support/built-program.js';
import { brokenMails } from '../../../../test/support/mail/broken-mails.js';
import { hostileMail } from '../../../../test/support/mail/hostile-mails.js';
import { type ArrivedSource, type AttachmentReceiver, EmailReaderService } from './email-reader.service.js';
import { UnreadableEmail } from './read-email.js';

const IGNORED: AttachmentReceiver = { begin: () => Promise.resolve(), take: () => Promise.resolve() };
const WINDOW = 64 * 1024;

function held(raw: Buffer): ArrivedSource['content'] {
  return {
    bytes: raw.length,
    async *read() {
      for (let at = 0; at < raw.length; at += WINDOW) yield raw.subarray(at, at + WINDOW);
    },
  };
}

const CONFIG = { smtpTrustedRelays: [], maxInputBytes: 1024 * 1024, smtpMaxMessageBytes: 10 * 1024 * 1024 };

describe('reading mails in processes of their own', () => {
  const programs = builtPrograms('libs/triggers/src/email/email-program');
  const readers: EmailReaderService[] = [];

  afterEach(() => readers.splice(0).forEach((reader) => reader.onApplicationShutdown()));

  const aReader = (settings: Partial<PoolSettings> = {}): EmailReaderService => {
    const reader = EmailReaderService.with(CONFIG, { ...programs, ...settings });
    readers.push(reader);
    return reader;
  };
  const plain = { content: held(Buffer.from('Subject: still here\r\n\r\nx')), sender: 'ann@example.com' };

  it('takes and refuses broken mails as reading in place does', async () => {
    const reader = aReader();
    const outcomes = await Promise.all(
      brokenMails().map(async ({ name, raw }) => {
        const outcome = await reader.read({ content: held(raw), sender: '' }, IGNORED).then(
          () => 'taken',
          (error: unknown) => (error instanceof UnreadableEmail ? 'refused' : error),
        );
        return [name, outcome];
      }),
    );
    expect(outcomes).toEqual(brokenMails().map(({ name, expected }) => [name, expected]));
  });

  it('leaves this process free while a mail in UTF-7 is decoded', async () => {
    const reader = aReader();
    await reader.read(plain, IGNORED);
    let turns = 0;
    const progress = { isRead: false };
    const reading = reader
      .read({ content: held(hostileMail('utf-7', 2_000_000)), sender: '' }, IGNORED)
      .finally(() => (progress.isRead = true));
    while (!progress.isRead) {
      await nextTurn();
      turns += 1;
    }
    expect((await reading).view.text).toMatch(/^aaaa/);
    // The mail is decoded in another process. Decoding in this process would block the event loop, so it would run only
    // about ten times.
    expect(turns).toBeGreaterThan(500);
  });

  it('refuses a mail that takes too much time, and reads the next', async () => {
    const reader = aReader({ cpuMillis: 300, processes: 1 });
    await reader.read(plain, IGNORED);
    const slow = reader.read({ content: held(hostileMail('utf-7', 5_000_000)), sender: '' }, IGNORED);
    await expect(slow).rejects.toMatchObject({ name: 'UnreadableEmail', message: 'The mail takes too long to read.' });
    expect((await reader.read(plain, IGNORED)).view.subject).toBe('still here');
  });

  it('refuses a mail that takes too much memory, and reads the next', async () => {
    const reader = aReader({ totalMegabytes: 150, processes: 1 });
    await reader.read(plain, IGNORED);
    const large = reader.read({ content: held(hostileMail('line feeds', 6_000_000)), sender: '' }, IGNORED);
    await expect(large).rejects.toMatchObject({
      name: 'UnreadableEmail',
      message: 'The mail needs too much memory to read.',
    });
    expect((await reader.read(plain, IGNORED)).view.subject).toBe('still here');
  });

  it('defers a mail while no process can be started', async () => {
    const reader = aReader({ program: `${programs.program}.missing.js` });
    await expect(reader.read(plain, IGNORED)).rejects.toMatchObject({ code: 'unavailable' });
  });
});
