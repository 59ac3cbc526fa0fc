const STILL_EVERY_MS = 5_000;

export class Progress {
  constructor(private readonly write: (text: string) => void) {}

  say(line: string): void {
    this.write(`${process.uptime().toFixed(1).padStart(6)} s  ${line}\n`);
  }

  print(text: string): void {
    this.write(`${text}\n`);
  }

  async during<T>(what: string, work: Promise<T>, detail?: () => string): Promise<T> {
    this.say(`${what} …`);
    const still = setInterval(() => {
      this.say(detail === undefined ? `still ${what} …` : `still ${what}: ${detail()} …`);
    }, STILL_EVERY_MS);
    try {
      return await work;
    } finally {
      clearInterval(still);
    }
  }
}
