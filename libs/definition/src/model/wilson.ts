/**
 * Returns the one-sided lower bound of a share by Wilson's score interval (E. B. Wilson, J. Am. Stat. Assoc. 22, 1927).
 * With the given confidence, the true share is at least this bound. Returns 0 without samples.
 */
export function wilsonLowerBound(passed: number, samples: number, confidence: number): number {
  if (samples === 0) return 0;
  const z = normalQuantile(confidence);
  const share = passed / samples;
  const spread = z * Math.sqrt((share * (1 - share) + (z * z) / (4 * samples)) / samples);
  return Math.max(0, (share + (z * z) / (2 * samples) - spread) / (1 + (z * z) / samples));
}

/**
 * Returns how many further samples, all of which pass, raise the bound to `target`. Returns 0 if the bound has already
 * reached it. `target` must be less than 1, because the bound never reaches 1.
 */
export function furtherPassesNeeded(passed: number, samples: number, target: number, confidence: number): number {
  const isEnough = (more: number): boolean => wilsonLowerBound(passed + more, samples + more, confidence) >= target;
  let enough = 0;
  for (let step = 1; !isEnough(enough); step *= 2) enough += step;
  let tooFew = -1;
  while (enough - tooFew > 1) {
    const middle = Math.floor((enough + tooFew) / 2);
    if (isEnough(middle)) enough = middle;
    else tooFew = middle;
  }
  return enough;
}

/**
 * Returns the value below which a standard normal variable lies with this probability (at least 0.5 and less than 1).
 * Algorithm AS 241 (M. J. Wichura, Appl. Statist. 37, 1988), which is accurate to about 16 digits.
 */
export function normalQuantile(probability: number): number {
  const distance = probability - 0.5;
  if (distance <= 0.425) {
    const r = 0.180625 - distance * distance;
    return (distance * polynomial(CENTRE_ABOVE, r)) / polynomial(CENTRE_BELOW, r);
  }
  const r = Math.sqrt(-Math.log(1 - probability));
  return r <= 5
    ? polynomial(SHOULDER_ABOVE, r - 1.6) / polynomial(SHOULDER_BELOW, r - 1.6)
    : polynomial(TAIL_ABOVE, r - 5) / polynomial(TAIL_BELOW, r - 5);
}

/** Evaluates a polynomial. `coefficients` begins with the constant term. */
function polynomial(coefficients: readonly number[], x: number): number {
  return coefficients.reduceRight((sum, coefficient) => sum * x + coefficient, 0);
}

// The coefficients of AS 241 (PPND16): numerator and denominator for the centre, the intermediate range and the tail.
const CENTRE_ABOVE = [
  3.3871328727963665, 133.14166789178438, 1971.5909503065513, 13731.69376550946, 45921.95393154987, 67265.7709270087,
  33430.57558358813, 2509.0809287301227,
];
const CENTRE_BELOW = [
  1, 42.31333070160091, 687.1870074920579, 5394.196021424751, 21213.794301586597, 39307.89580009271, 28729.085735721943,
  5226.495278852546,
];
const SHOULDER_ABOVE = [
  1.4234371107496835, 4.630337846156546, 5.769497221460691, 3.6478483247632045, 1.2704582524523684, 0.2417807251774506,
  0.022723844989269184, 0.0007745450142783414,
];
const SHOULDER_BELOW = [
  1, 2.053191626637759, 1.6763848301838038, 0.6897673349851, 0.14810397642748008, 0.015198666563616457,
  0.0005475938084995345, 1.0507500716444169e-9,
];
const TAIL_ABOVE = [
  6.657904643501103, 5.463784911164114, 1.7848265399172913, 0.29656057182850487, 0.026532189526576124,
  0.0012426609473880784, 2.7115555687434876e-5, 2.0103343992922881e-7,
];
const TAIL_BELOW = [
  1, 0.599832206555888, 0.1369298809227358, 0.014875361290850615, 0.0007868691311456133, 1.8463183175100548e-5,
  1.421511758316446e-7, 2.0442631033899397e-15,
];
