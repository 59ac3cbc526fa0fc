const STILL_EVERY_MS = 5_000;

/** Tells a person how the start proceeds: one line per event, led by the seconds since the process began. */
export class Progress {
  constructor(private readonly write: (text: string) => void) {}

  say(line: string): void {
    this.write(`${process.uptime().toFixed(1).padStart(6)} s  ${line}\n`);
  }

  /** Text as it is, without the time. */
  print(text: string): void {
    this.write(`${text}\n`);
  }

  /** Says what is going on, and says so again while it takes long. */
  async during<T>(what: string, work: Promise<T>): Promise<T> {
    this.say(`${what} …`);
    const still = setInterval(() => {
      this.say(`still ${what} …`);
    }, STILL_EVERY_MS);
    try {
      return await work;
    } finally {
      clearInterval(still);
    }
  }
}
