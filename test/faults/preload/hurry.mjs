/**
 * When the program receives SIGUSR2, its timers of more than half an hour fire. A worker then does what it does each
 * hour.
 */
const LONG_MILLIS = 1_800_000;
const { setTimeout, clearTimeout } = globalThis;
const waiting = new Map();

globalThis.setTimeout = new Proxy(setTimeout, {
  apply(start, self, [act, millis, ...given]) {
    const timer = Reflect.apply(start, self, [act, millis, ...given]);
    if (millis > LONG_MILLIS) waiting.set(timer, () => act(...given));
    return timer;
  },
});
globalThis.clearTimeout = (timer) => {
  waiting.delete(timer);
  clearTimeout(timer);
};

process.on('SIGUSR2', () => {
  for (const [timer, act] of [...waiting]) {
    globalThis.clearTimeout(timer);
    act();
  }
});
