const units: ReadonlyArray<readonly [name: string, ms: number]> = [
	['d', 86_400_000],
	['h', 3_600_000],
	['min', 60_000],
];

/** A duration in words, rounded down, in the largest unit of which it has at least two: `23 h`, `3 d`, `40 s`. Negative durations are `0 s`. */
export function inWords(ms: number): string {
	const unit = units.find(([, length]) => ms >= 2 * length);
	const [name, length] = unit ?? (['s', 1000] as const);
	return `${Math.max(0, Math.floor(ms / length))} ${name}`;
}
