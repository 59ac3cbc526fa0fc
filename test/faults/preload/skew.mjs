/**
 * Shifts the wall clock of the program by `SKEW_MS` milliseconds. Timers and the monotonic clock are not affected, as
 * after a correction of the clock by NTP.
 */
const skew = Number(process.env.SKEW_MS);
const RealDate = Date;

globalThis.Date = class Date extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 ? [RealDate.now() + skew] : given));
  }

  static now() {
    return RealDate.now() + skew;
  }
};
