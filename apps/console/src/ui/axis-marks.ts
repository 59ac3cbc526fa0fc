/**
 * Returns the round numbers at which an axis is marked, at most five. The first number is 0, and the last number is at
 * least `most`.
 */
export function axisMarks(most: number, smallestStep = 0): number[] {
  if (most <= 0) return [0, Math.max(1, smallestStep)];
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((each) => each * power >= rough) ?? 10;
  const step = Math.max(factor * power, smallestStep);
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, index) =>
    Number((index * step).toPrecision(12)),
  );
}
