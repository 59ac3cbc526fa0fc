import type { UploadProgress } from '../../../../packages/sdk/src/index.js';
import type { Cli } from '../session/cli.js';
import { escapedText } from '../output/escaped-text.js';

const WIDTH = 30;
const CLEAR_LINE = '\r\u001b[2K';

/** Shows progress on standard error, if it is a terminal. */
export class ProgressBar {
  private readonly isShown: boolean;

  constructor(
    private readonly cli: Cli,
    private readonly title: string,
  ) {
    this.isShown = cli.terminal.stderr.isTTY && !cli.output.options.isQuiet;
  }

  /** Shows `done` of `total`. If `total` is undefined, only `done` is shown. */
  show(done: number, total: number | undefined): void {
    if (!this.isShown) return;
    const part = total ? Math.min(1, done / total) : 0;
    const bar = total ? ` [${'#'.repeat(Math.round(part * WIDTH)).padEnd(WIDTH, '.')}]` : '';
    const count = total ? `${done}/${total}` : String(done);
    this.cli.terminal.stderr.write(`${CLEAR_LINE}${escapedText(this.title)}${bar} ${count}`);
  }

  clear(): void {
    if (this.isShown) this.cli.terminal.stderr.write(CLEAR_LINE);
  }
}

/** Shows the progress of an upload until it has ended. */
export async function withUploadBar<T>(
  cli: Cli,
  upload: (onProgress: (progress: UploadProgress) => void) => Promise<T>,
): Promise<T> {
  const bar = new ProgressBar(cli, 'Uploading');
  try {
    return await upload(({ sent, total }) => bar.show(sent, total ?? undefined));
  } finally {
    bar.clear();
  }
}
