/**
 * The result of `work`, or the error of `late` after the time limit. The work itself continues: the caller ends its connection.
 */
export function within<Value>(millis: number, work: Promise<Value>, late: () => Error): Promise<Value> {
  let timer: NodeJS.Timeout;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), millis);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}
