/** `SKEW_MS`: the program's wall clock is off by so much. Timers and the monotonic clock are not, as after a step of NTP. */
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
