// How figures are brought together and shown.

export function percentile(values, percent) {
  const sorted = [...values].toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))];
}

export function median(values) {
  return percentile(values, 50);
}

/** A line for each ratio, with what was asked: `≤ 1.5` or `≥ 0.6`. */
export function report(title, rows) {
  console.log(`\n${title}\n`);
  for (const { name, ratio, limit, detail } of rows) {
    const isReached = limit.startsWith("≤") ? ratio <= Number(limit.slice(2)) : ratio >= Number(limit.slice(2));
    console.log(
      `${isReached ? "✓" : "✗"} ${name.padEnd(56)} ${ratio.toFixed(2).padStart(5)}   asked ${limit.padEnd(7)} ${detail}`,
    );
  }
}
