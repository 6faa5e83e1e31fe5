// How figures are brought together and shown.

export function percentile(values, percent) {
  const sorted = [...values].toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))];
}

export function median(values) {
  return percentile(values, 50);
}

/**
 * What two were measured to be, in turn: the median of each round's ratio, and beside it the machine's noise, which is
 * the range of all ratios.
 * @param {number[]} ours
 * @param {number[]} theirs of the same rounds
 * @param {(value: number) => string} show
 */
export function ratioRow(name, limit, ours, theirs, show) {
  const ratios = ours.map((value, round) => value / theirs[round]);
  const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
  return {
    name,
    limit,
    ratio: median(ratios),
    detail: `${range.padEnd(15)} ${show(median(ours))} / ${show(median(theirs))}`,
  };
}

/** On a machine with other work, the CPU time of one says more than how many there were. @param {number[]} ours in µs */
export function withCpu(row, ours, theirs) {
  const micros = (values) => median(values).toFixed(values[0] < 100 ? 1 : 0);
  return { ...row, detail: `${row.detail}, ${micros(ours)} / ${micros(theirs)} µs of CPU` };
}

export const perSecond = (rate) => `${Math.round(rate)}/s`;

/**
 * A line for each ratio, with what was asked: `≤ 1.5` or `≥ 0.6`; nothing is asked of a row without. A row without a
 * ratio says why it was left out.
 */
export function report(title, rows) {
  console.log(`\n${title}\n`);
  for (const { name, ratio, limit, detail } of rows) {
    const figure = ratio === undefined ? "" : ratio.toFixed(2);
    const asked = limit === undefined ? "" : `asked ${limit}`;
    console.log(`${mark(ratio, limit)} ${name.padEnd(56)} ${figure.padStart(5)}   ${asked.padEnd(13)} ${detail}`);
  }
}

function mark(ratio, limit) {
  if (ratio === undefined || limit === undefined) return "-";
  const isReached = limit.startsWith("≤") ? ratio <= Number(limit.slice(2)) : ratio >= Number(limit.slice(2));
  return isReached ? "✓" : "✗";
}
